/**
 * The replay of one thread, as a task that runs anywhere: plain data in, plain data out.
 */
import type { Nanoseconds } from '../model/units.js';
import { Contexts, type Lessons } from '../replay/contexts.js';
import { Replayer, type ReplayOptions, type ThreadReplay } from '../replay/replay.js';
import type { SiteFacts } from '../replay/site-facts.js';
import type { SharedEvents } from '../store/event-memory.js';
import { loadThread, type ThreadFacts, type ThreadSource } from '../store/thread-source.js';

/** What all threads of a trace have in common. */
export interface ReplayedTrace {
  readonly facts: SiteFacts;
  /** Of branch sites, where the trace begins and ends. */
  readonly edge: Uint8Array;
  readonly events: SharedEvents;
  readonly options: Pick<ReplayOptions, 'tailCalls' | 'extendTo'>;
  /** What all threads teach; null while it is still being learned. */
  readonly lessons: Lessons | null;
}

/** A thread, and what became of it. */
export interface ReplayedThread {
  readonly thread: ThreadFacts;
  readonly replay: ThreadReplay;
}

/** Replays threads of one trace in the same memory. */
export class TraceReplayer {
  private readonly trace: ReplayedTrace;
  private readonly replayer: Replayer;
  private readonly contexts: Contexts | null;

  constructor(trace: ReplayedTrace) {
    this.trace = trace;
    this.replayer = new Replayer(trace.facts);
    this.contexts = trace.lessons && Contexts.of(trace.lessons);
  }

  /** `buffer`: memory to put its events in order, as large as `threadBytes` says. */
  replay(source: ThreadSource, buffer: ArrayBuffer | SharedArrayBuffer): ReplayedThread {
    const { trace, contexts } = this;
    const { events, ...thread } = loadThread(source, trace.events, trace, buffer);
    const { isCreatedInside, exitNs } = thread;
    const extendTo = whileAlive(trace.options.extendTo, exitNs);
    const options = { ...trace.options, extendTo, isCreatedInside, contexts };
    return { thread, replay: this.replayer.replay(events, options) };
  }
}

/** A thread that ended waits no longer. */
export function whileAlive(extendTo: ReplayOptions['extendTo'], exitNs: Nanoseconds): ReplayOptions['extendTo'] {
  return extendTo && { ...extendTo, endNs: Math.min(extendTo.endNs, exitNs) };
}

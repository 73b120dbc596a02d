/**
 * Asks the server for all calls of the function that the panel shows: what they were, then what is inside the slowest.
 */
import type { ThreadLists } from '../../../model/timeline/call-chunks.js';
import type { ThreadSpans } from '../../../model/timeline/timeline.js';
import type { Tid } from '../../../model/units.js';
import { readChunk, readFunctionChunk } from '../../data/calls/chunk.js';
import { MAX_SLOWEST } from '../../view/calls/calls-of-function.js';
import {
  CallsCollector,
  type FoundCalls,
  type ListedCall,
  type SearchedThread,
} from '../../view/calls/find-listed-calls.js';
import type { AllCalls, CallsSearch, ServedCallsOf } from '../../view/served/all-calls.js';
import { partsInside, spansInside } from '../../view/served/calls-inside.js';
import { functionRequests } from '../../view/served/function-chunks.js';
import { type FunctionCallSource, ServerFault } from './call-server.js';

interface Asked {
  readonly key: string;
  readonly controller: AbortController;
  found: FoundCalls | null;
  readonly inside: Map<ListedCall, ThreadSpans | null>;
  isAwaited: boolean;
}

export class ServedFunctionCalls implements AllCalls {
  private readonly server: FunctionCallSource;
  private readonly changed: () => void;
  private indexes: ReadonlyMap<Tid, ThreadLists> | null = null;
  private asked: Asked | null = null;
  private fault: string | null = null;

  /** `changed`: calls arrived, or there was a fault. */
  constructor(server: FunctionCallSource, changed: () => void) {
    this.server = server;
    this.changed = changed;
  }

  of(key: string, search: CallsSearch): ServedCallsOf {
    if (this.asked?.key !== key) {
      this.stop();
      const isAwaited = this.fault === null;
      this.asked = { key, controller: new AbortController(), found: null, inside: new Map(), isAwaited };
      if (isAwaited) void this.load(this.asked, search);
    }
    const { found, inside, isAwaited } = this.asked;
    return { found, inside, isAwaited, fault: this.fault };
  }

  stop(): void {
    this.asked?.controller.abort();
    this.asked = null;
  }

  private async load(asked: Asked, search: CallsSearch): Promise<void> {
    const { signal } = asked.controller;
    try {
      this.indexes ??= await this.server.indexes(signal);
      asked.found = await this.find(search, this.indexes, signal);
      this.changed();
      await this.lookInside(asked, asked.found, search, this.indexes);
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof ServerFault)) throw error;
      this.fault = error.message;
    }
    asked.isAwaited = false;
    this.changed();
  }

  /** Reads some chunks at a time: only the longest calls are kept. */
  private async find(
    { threads, bounds, isPart }: CallsSearch,
    indexes: ReadonlyMap<Tid, ThreadLists>,
    signal: AbortSignal,
  ): Promise<FoundCalls> {
    const collector = new CallsCollector(bounds, isPart);
    for (const parts of functionRequests(threads, indexes, bounds)) {
      const chunks = await this.server.parts(parts, readFunctionChunk, signal);
      const tids = parts.flatMap(({ tid, bytes }) => bytes.map(() => tid));
      for (const [at, calls] of chunks.entries()) collector.addCalls(threadOf(threads, tids[at]), calls);
    }
    return collector.build();
  }

  private async lookInside(
    { inside, controller }: Asked,
    { longest }: FoundCalls,
    { timeline, threads }: CallsSearch,
    indexes: ReadonlyMap<Tid, ThreadLists>,
  ): Promise<void> {
    for (const call of longest.slice(0, MAX_SLOWEST)) {
      const { timed, hasCallees } = threadOf(threads, call.tid);
      const index = indexes.get(call.tid) as ThreadLists; // it has the call
      const parts = hasCallees(call.node) ? partsInside(call, index, timeline.minSpanNs) : [];
      const chunks = parts?.length ? await this.server.parts(parts, readChunk, controller.signal) : [];
      inside.set(call, parts && spansInside(timed.spans, parts, chunks));
    }
  }
}

function threadOf(threads: readonly SearchedThread[], tid: Tid): SearchedThread {
  return threads.find(({ timed }) => timed.tid === tid) as SearchedThread;
}

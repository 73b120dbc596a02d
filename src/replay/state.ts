/**
 * All there is while a thread is replayed: what is read, what is written, and where the thread is now. The functions of all
 * rooms work on this one state.
 */
import type { CallLogBuilder } from '../model/calls/call-log.js';
import type { CallTreeBuilder } from '../model/calls/call-tree.js';
import { type InferenceName, noInferences } from '../model/profile/quality.js';
import type { ThreadEvents } from '../model/trace/thread-events.js';
import { type FunctionId, type Nanoseconds, NONE, type NodeId, type SymbolId } from '../model/units.js';
import type { SiteFacts } from './functions/site-facts.js';
import type { Pairing } from './pairing/pairing.js';
import type { Frame, FrameWatcher } from './stack/frame.js';
import { FrameIndex } from './stack/frame-index.js';
import { type ParkedFrames, parkedFrames } from './stack/parked-frames.js';
import { StackCertainty } from './stack/stack-certainty.js';
import type { ReplayMemory, ReplayOptions } from './thread-replay.js';
import type { ThreadGap } from './time/thread-gaps.js';

/** A synthetic frame that is open now. */
export interface OpenStop {
  readonly node: NodeId;
  readonly sinceNs: Nanoseconds;
}

export interface ReplayState {
  // What is read.
  readonly events: ThreadEvents;
  readonly facts: SiteFacts;
  readonly pairing: Pairing;
  readonly options: ReplayOptions;

  // What is written.
  readonly tree: CallTreeBuilder;
  readonly log: CallLogBuilder | null;
  readonly watcher: FrameWatcher | null;
  readonly lost: ThreadGap[];
  readonly inferred: Record<InferenceName, number>;
  /** Time that is inferred only because of a jump that was not shown. */
  hiddenNs: Nanoseconds;
  /** Events before which control moved, and no address tells where to; and losses behind which none tells the place. */
  inferredEvents: number;
  /** How many nodes the tree had when paths began to be guesses; null: none is. */
  confirmedNodes: number | null;

  // The stack.
  /** The open frames, lowest first; those from `depth` on wait to be used again. */
  readonly stack: Frame[];
  depth: number;
  readonly frameIndex: FrameIndex;
  readonly certainty: StackCertainty;
  /** Places of levels that came back on the stack, by the row that called them. */
  readonly putBackLevels: Map<number, number>;
  /** Places of levels that nobody saw being called, by the row of the return that leaves them. */
  readonly levelByReturnRow: Map<number, number>;
  readonly parked: ParkedFrames;
  /** From this place on stands what nothing spoke for behind a loss; or NONE. */
  unconfirmedFrom: number;
  /** Code between a signal handler's return and the end of the signal: it counts as what was interrupted. */
  signalTail: FunctionId;
  /** How many rows were read to count the steps of unwinders. */
  unwinderRowsRead: number;

  // Time.
  /** Up to here the thread's time is charged. */
  nowNs: Nanoseconds;
  /** The trace is stopped. */
  stop: OpenStop | null;
  offCpu: OpenStop | null;
  /** Switched out, by which symbol; NONE while it runs. Known before the trace of a stop is, if clocks differ. */
  switchedOut: SymbolId;
}

export function newReplayState(
  events: ThreadEvents,
  facts: SiteFacts,
  pairing: Pairing,
  options: ReplayOptions,
  memory: ReplayMemory,
): ReplayState {
  const stack: Frame[] = [];
  const log = options.wantsLog ? memory.log : null;
  return {
    events,
    facts,
    pairing,
    options,
    tree: memory.tree,
    log,
    watcher: options.watcher ?? null,
    lost: [],
    inferred: noInferences(),
    hiddenNs: 0,
    inferredEvents: 0,
    confirmedNodes: null,
    stack,
    depth: 0,
    frameIndex: new FrameIndex(stack, facts.functions.length),
    certainty: new StackCertainty(stack, log),
    putBackLevels: new Map(),
    levelByReturnRow: new Map(),
    parked: parkedFrames(pairing.switches),
    unconfirmedFrom: NONE,
    signalTail: NONE,
    unwinderRowsRead: 0,
    nowNs: 0,
    stop: null,
    offCpu: null,
    switchedOut: NONE,
  };
}

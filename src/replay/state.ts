/**
 * The state of a thread during replay: what is read, what is written, and where the thread is now. The functions of all
 * folders of replay work on this one object.
 */
import type { CallLogBuilder } from '../model/calls/call-log.js';
import type { CallTreeBuilder } from '../model/calls/call-tree.js';
import { type InferenceName, noInferences } from '../model/profile/quality.js';
import type { ThreadEvents } from '../model/trace/thread-events.js';
import { type FunctionId, type Nanoseconds, NONE, type NodeId, type SymbolId } from '../model/units.js';
import type { SiteFacts } from './functions/site-facts.js';
import type { ReplayKernel } from './host/replay-kernel.js';
import type { Rows } from './host/rows.js';
import type { Pairing } from './pairing/pairing.js';
import type { Frame, FrameWatcher } from './stack/frame.js';
import { FrameIndex } from './stack/frame-index.js';
import { type ParkedFrames, parkedFrames } from './stack/parked-frames.js';
import { StackCertainty } from './stack/stack-certainty.js';
import type { ReplayMemory, ReplayOptions } from './thread-replay.js';
import type { ThreadGap } from './time/thread-gaps.js';

/** A synthetic frame (system call, off-CPU, …) that is open now. */
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
  /** Time that is inferred only because of a hidden jump. */
  hiddenNs: Nanoseconds;
  /**
   * Events before which control moved to a function that no address determines, and losses after which no address
   * confirms the stack.
   */
  inferredEvents: number;
  /**
   * Number of tree nodes when the first path had to be inferred; null if none was. The nodes before it are confirmed.
   */
  confirmedNodes: number | null;

  /** Executes simple actions; null if that is left to TypeScript. */
  readonly kernel: ReplayKernel | null;

  // The stack.
  /** The memory of the frames. */
  readonly frames: Rows;
  /** The open frames, lowest first. Entries from `depth` on are kept for reuse. */
  readonly stack: Frame[];
  depth: number;
  readonly frameIndex: FrameIndex;
  readonly certainty: StackCertainty;
  /** Indexes of levels that were put back on the stack with a parked stack, by the row of their call. */
  readonly putBackLevels: Map<number, number>;
  /** Indexes of levels whose call was not seen, by the row of the return that ends them. */
  readonly levelByReturnRow: Map<number, number>;
  readonly parked: ParkedFrames;
  /** Index of the first frame that nothing confirmed after a loss, not even a name; or NONE. */
  unconfirmedFrom: number;
  /**
   * Code between the return of a signal handler and the end of the signal (`__restore_rt`): its time counts for the
   * function that was interrupted.
   */
  signalTail: FunctionId;
  /** Rows read so far to count the steps of unwinders: bounds their cost. */
  unwinderRowsRead: number;

  // Time.
  /** Time is charged up to here. */
  nowNs: Nanoseconds;
  /** Set while the trace is stopped. */
  stop: OpenStop | null;
  offCpu: OpenStop | null;
  /**
   * The reason the thread is switched out, as a symbol; NONE while it runs. May be set before the trace stops, as the
   * clocks of switch records and branches differ.
   */
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
  const watcher = options.watcher ?? null;
  return {
    events,
    facts,
    pairing,
    options,
    tree: memory.tree,
    log,
    watcher,
    lost: [],
    inferred: noInferences(),
    hiddenNs: 0,
    inferredEvents: 0,
    confirmedNodes: null,
    kernel: watcher ? null : memory.kernel,
    frames: memory.frames,
    stack,
    depth: 0,
    frameIndex: new FrameIndex(stack, memory.highest),
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

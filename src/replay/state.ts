/**
 * The state of a thread during replay: what is read, what is written, and where the thread is now. The functions of all
 * folders of replay work on this one object.
 */
import type { CallLogBuilder } from '../model/calls/call-log.js';
import { type CallTreeBuilder, ROOT } from '../model/calls/call-tree.js';
import { Doubt } from '../model/calls/doubts.js';
import { ResumptionCounter } from '../model/calls/resumptions.js';
import { Inference, type InferenceName, noInferences } from '../model/profile/profile.js';
import type { ThreadEvents } from '../model/trace/thread-events.js';
import { type FunctionId, type Nanoseconds, NONE, type NodeId, type SymbolId } from '../model/units.js';
import type { SiteFacts } from './functions/site-facts.js';
import type { Rows } from './module-memory.js';
import type { Pairing } from './pairing/pairing.js';
import type { ReplayModule } from './replay-module.js';
import type { Frame, FrameWatcher, ParkedFrames } from './stack/frame.js';
import type { ReplayMemory, ReplayOptions, ThreadGap } from './thread-replay.js';

/** A synthetic frame (system call, off-CPU, …) that is open now. */
export interface OpenStop {
  readonly node: NodeId;
  readonly sinceNs: Nanoseconds;
  /** The row of the log that opened the uppermost call that is set aside meanwhile; absent: none is. */
  readonly asideRow?: number;
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
  /** Time that is inferred only because of hidden jumps. */
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
  readonly module: ReplayModule | null;

  // The stack.
  /** The memory of the frames. */
  readonly frames: Rows;
  /** The open frames, lowest first. Entries from `depth` on are kept for reuse. */
  readonly stack: Frame[];
  depth: number;
  readonly frameIndex: FrameIndex;
  readonly certainty: StackCertainty;
  /** Indexes of levels whose call was not seen, by the row of the return that ends them. */
  readonly levelByReturnRow: Map<number, number>;
  /** The node that the running stack begins at. */
  base: NodeId;
  /** The running stack is the one that the thread began with. */
  isFirstStack: boolean;
  /** It was found to be a stack of its own only when it was left. */
  isSplit: boolean;
  /** The stacks that do not run, by the row of the call that left them. */
  readonly parked: Map<number, ParkedFrames>;
  /** Rows of the calls that leave stacks which go on later. */
  readonly leftRows: ReadonlySet<number>;
  readonly resumptions: ResumptionCounter;
  /** The function that left the stack that ran before, until the one that runs now is known; else NONE. */
  resumer: FunctionId;
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
    module: watcher ? null : memory.module,
    frames: memory.frames,
    stack,
    depth: 0,
    frameIndex: new FrameIndex(stack, memory.highest),
    certainty: new StackCertainty(stack, log),
    levelByReturnRow: new Map(),
    base: ROOT,
    isFirstStack: true,
    isSplit: false,
    parked: new Map(),
    leftRows: new Set(pairing.switches.map(({ leftRow }) => leftRow)),
    resumptions: new ResumptionCounter(),
    resumer: NONE,
    unconfirmedFrom: NONE,
    signalTail: NONE,
    unwinderRowsRead: 0,
    nowNs: 0,
    stop: null,
    offCpu: null,
    switchedOut: NONE,
  };
}

/** Begins to count anew, wherever the thread is. */
export function clearCounts(state: ReplayState): void {
  state.tree.clearCounts();
  state.log?.fix();
  state.lost.length = 0;
  Object.assign(state.inferred, noInferences());
  state.hiddenNs = 0;
  state.inferredEvents = 0;
}

/**
 * Finds the open frames of a function. Frames are added only when something is searched for, and most close before
 * that: so calls and returns do not pay for the index.
 */
class FrameIndex {
  private isUsed = false;
  /** The frames below this stack index have been added. */
  length = 0;

  /** `highest`: memory with a number for each function. */
  constructor(
    private readonly stack: readonly Frame[],
    /** By function: the stack index of its highest frame that was added, or NONE. Not yet valid if none was ever added. */
    private readonly highest: Int32Array,
  ) {}

  /**
   * Returns the highest frame of a function below `below` and not below `lowest`, or NONE. `depth`: number of open
   * frames.
   */
  findBelow(fn: FunctionId, depth: number, below: number, lowest: number): number {
    if (!this.isUsed) this.highest.fill(NONE);
    this.isUsed = true;
    while (this.length < depth) this.add(this.length++);
    let index = this.highest[fn];
    while (index >= below) index = (this.stack[index] as Frame).nextLower;
    return index >= lowest ? index : NONE;
  }

  /** Removes the frame at this index, which must be on top: it closes, or becomes another function. */
  forget(frame: Frame, index: number): void {
    if (this.length <= index) return;
    this.highest[frame.fn] = frame.nextLower;
    this.length = index;
  }

  private add(index: number): void {
    const { highest } = this;
    const frame = this.stack[index] as Frame;
    frame.nextLower = highest[frame.fn];
    highest[frame.fn] = index;
  }
}

/** Tracks how certain the open stack is: which frames are in doubt, and why. */
class StackCertainty {
  /** By `Doubt`: the number of open frames that it is about; and a bit for each that has some. */
  private readonly frames = new Int32Array(Doubt.Lost + 1);
  private present = 0;
  /** Why the interval that is charged now is inferred, whatever the frames are: control moved in it without an event. */
  private move: Doubt = Doubt.None;
  /** Below these indexes every frame is already marked as inferred or as unconfirmed, or its known time is limited. */
  private inferredDepth = 0;
  private unconfirmedDepth = 0;
  private limitedDepth = 0;

  constructor(
    private readonly stack: readonly Frame[],
    private readonly log: CallLogBuilder | null,
  ) {}

  /** Why time that is charged now is inferred: the highest doubt about a frame counts. */
  get current(): Doubt {
    if (this.present !== 0) return (31 - Math.clz32(this.present)) as Doubt;
    return this.move;
  }

  /** Says why the interval that is charged now is inferred; `None`: it is not. */
  setMove(move: Doubt): void {
    this.move = move;
    this.logDoubt();
  }

  /** Marks an open frame: it may not be there, or not on these frames. */
  mark(frame: Frame, doubt: Doubt): void {
    this.add(frame, doubt);
    this.logDoubt();
  }

  /** Marks an open frame as another one was marked that it replaces. */
  markLike(frame: Frame, doubts: number): void {
    for (let doubt = Doubt.HiddenJump as Doubt; doubt < Doubt.UnseenCallers; doubt++)
      if (doubts & (1 << doubt)) this.mark(frame, doubt);
  }

  /** Writes a change of doubt to the log. */
  logDoubt(): void {
    this.log?.setDoubt(this.current);
  }

  /** Adds a frame that has been pushed. */
  frameOpened({ doubts }: Frame): void {
    if (doubts !== 0) this.count(doubts, 1);
    this.logDoubt();
  }

  /** Removes the top frame; `depth` frames are left. The caller writes its end to the log before the new doubt. */
  frameRemoved({ doubts }: Frame, depth: number): void {
    if (doubts !== 0) this.count(doubts, -1);
    if (this.inferredDepth > depth) this.inferredDepth = depth;
    if (this.unconfirmedDepth > depth) this.unconfirmedDepth = depth;
    if (this.limitedDepth > depth) this.limitedDepth = depth;
  }

  /** Marks every open frame as unconfirmed. */
  markUnconfirmed(depth: number, doubt: typeof Doubt.AfterLoss | typeof Doubt.UnseenCallers): void {
    for (let index = this.unconfirmedDepth; index < depth; index++) this.add(this.stack[index] as Frame, doubt);
    this.unconfirmedDepth = depth;
    this.logDoubt();
  }

  private add(frame: Frame, doubt: Doubt): void {
    const bit = 1 << doubt;
    if (frame.doubts & bit) return;
    frame.doubts |= bit;
    this.count(bit, 1);
  }

  private count(doubts: number, frames: number): void {
    for (let rest = doubts; rest !== 0; rest &= rest - 1) {
      const doubt = 31 - Math.clz32(rest & -rest);
      this.frames[doubt] += frames;
      if (this.frames[doubt] > 0) this.present |= 1 << doubt;
      else this.present &= ~(1 << doubt);
    }
  }

  /** Limits the known time of the open frames: nothing proves that they were open after `ns`. */
  limitKnownTime(ns: Nanoseconds, depth: number): void {
    for (let index = this.limitedDepth; index < depth; index++) {
      const frame = this.stack[index] as Frame;
      frame.knownUntilNs = Math.min(frame.knownUntilNs, ns);
    }
    this.limitedDepth = depth;
  }

  /** Marks the frames that were open at a loss: whatever confirms them later, their calls are inferred. */
  markInferred(depth: number): void {
    for (let index = this.inferredDepth; index < depth; index++) {
      const frame = this.stack[index] as Frame;
      if (frame.inference === NONE) frame.inference = Inference.CutByGap;
    }
    this.inferredDepth = depth;
  }
}

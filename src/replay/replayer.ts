/**
 * Replays threads one after the other, reusing the same memory.
 */
import { CallLogBuilder } from '../model/calls/call-log.js';
import { CallTreeBuilder, withoutEmptyNodes } from '../model/calls/call-tree.js';
import { Doubt } from '../model/calls/doubts.js';
import { DurationsBuilder } from '../model/calls/durations.js';
import type { ThreadEvents } from '../model/trace/thread-events.js';
import { type Nanoseconds, NONE, type SymbolId } from '../model/units.js';
import { executeRows } from './execute.js';
import { comesOutOfSyscall, type SiteFacts, withSwitcher } from './functions/site-facts.js';
import { isNewProgram, matchAcrossLosses, restartOf } from './losses/align.js';
import {
  type Beginning,
  beginningOf,
  recordFirstLoss,
  startOf,
  startWithoutBranch,
  waitForFirstBranch,
} from './losses/beginning.js';
import { pushFirstStack, restartStack } from './losses/first-stack.js';
import { functionPaths, MAX_PATH_DEPTH } from './losses/known-paths.js';
import { OwnRows } from './module-memory.js';
import { pairThread } from './pairing/pair-thread.js';
import { Action, actionOf, ModulePairingMemory, OwnPairingMemory, type Segment } from './pairing/pairing.js';
import { ReplayModule } from './replay-module.js';
import { openSymbols } from './stack/open-frames.js';
import { endStacks } from './stack/switch-stacks.js';
import { clearCounts, newReplayState, type ReplayState } from './state.js';
import type { LastSeen, PartReplay, ReplayMemory, ReplayOptions, ThreadReplay } from './thread-replay.js';
import {
  addressBefore,
  applySwitch,
  beginOffCpu,
  chargeUntil,
  endStop,
  firstLostRow,
  followSwitches,
  knownEnd,
  loseUntil,
  recordErrors,
  recordGap,
  rowAfterBranches,
  startAt,
  stoppedNode,
} from './time.js';
import { FRAME_BYTES } from './wasm/layout.js';

export class Replayer {
  private readonly log = new CallLogBuilder();
  /** Memory of the module, and memory for threads that are replayed without it; null: not needed yet. */
  private readonly moduleMemory: ReplayMemory | null;
  private ownMemory: ReplayMemory | null = null;
  /** Durations of a thread that may have to be replayed again. */
  private readonly provisional = new DurationsBuilder();

  /** `module`: null to replay in TypeScript alone. */
  constructor(
    private readonly facts: SiteFacts,
    private readonly module: ReplayModule | null = ReplayModule.start(facts),
  ) {
    this.moduleMemory = module && memoryOf(module, this.log);
  }

  replay(events: ThreadEvents, options: ReplayOptions): ThreadReplay {
    const { provisional } = this;
    const { durations = null, knownPaths, wantsLog = false, wantsPlaces = false } = options;
    const memory = this.memoryFor(events);
    memory.tree.clear();
    memory.log.clear(wantsLog ? events.length : 0, wantsPlaces);
    const state = beginReplay(events, this.facts, options, memory);
    const mayBeDiscarded = durations !== null && knownPaths === null && (hasLosses(state) || continuesParent(state));
    if (mayBeDiscarded) provisional.clear();
    memory.tree.durations = mayBeDiscarded ? provisional : durations;
    if (state.pairing.switcher !== null || options.onlyPairs)
      return resultOf(state, { startNs: state.nowNs, firstStack: [] });
    const result = runReplay(state);
    if (mayBeDiscarded && !result.hasUnconfirmedPaths) durations.addBlocks(provisional.blocks());
    return result;
  }

  /**
   * Replays the events of a thread, of which some outside of these rows may be missing, and counts what happens in these
   * rows. Returns null if that is not possible: other rows may matter. The tree also has nodes without calls and time.
   */
  replayPart(events: ThreadEvents, rows: PartRows, options: ReplayOptions): PartReplay | null {
    const { durations = null, wantsLog = false } = options;
    const memory = this.memoryFor(events);
    memory.tree.clear();
    memory.log.clear(wantsLog ? events.length : 0);
    const state = beginReplay(events, this.facts, options, memory);
    const { switcher, segments } = state.pairing;
    if (switcher !== null || segments.length !== 1) return null;
    const replay = runPart(state, segments[0] as Segment, rows, durations);
    return memory.log.hasChangedFixed ? null : replay;
  }

  private memoryFor(events: ThreadEvents): ReplayMemory {
    if (this.module?.begin(events) && this.moduleMemory) return this.moduleMemory;
    this.ownMemory ??= ownMemory(this.facts, this.log);
    return this.ownMemory;
  }
}

function memoryOf(module: ReplayModule, log: CallLogBuilder): ReplayMemory {
  const { memory, highest } = module;
  const pairing = new ModulePairingMemory(module);
  return { tree: new CallTreeBuilder(memory.tree), log, pairing, frames: memory.stack, highest, module };
}

function ownMemory({ functions }: SiteFacts, log: CallLogBuilder): ReplayMemory {
  const frames = new OwnRows(64 * FRAME_BYTES);
  const highest = new Int32Array(functions.length);
  return { tree: new CallTreeBuilder(), log, pairing: new OwnPairingMemory(), frames, highest, module: null };
}

/** The rows of a thread that are replayed for their own sake. */
export interface PartRows {
  readonly firstRow: number;
  /** The row after the last one. */
  readonly endRow: number;
}

/** Replays a single thread in memory of its own, again with each function that turns out to switch stacks. */
export function replayThread(events: ThreadEvents, facts: SiteFacts, options: ReplayOptions): ThreadReplay {
  const replay = new Replayer(facts).replay(events, options);
  return replay.switcher === null ? replay : replayThread(events, withSwitcher(facts, replay.switcher), options);
}

// Replays one thread: reads its events and builds its call tree.
//
// Each interval between two events is charged to the frame on top of the stack. Pairing (pairing/pairing.ts) has
// already decided what each event does to the stack, so this loop only follows it.

/** Pairs the thread's returns with calls and sets up the state that `runReplay` works on. */
function beginReplay(
  events: ThreadEvents,
  facts: SiteFacts,
  options: ReplayOptions,
  memory: ReplayMemory,
): ReplayState {
  const pairing = pairThread(events, facts, memory.pairing);
  matchAcrossLosses(pairing, events, facts);
  const state = newReplayState(events, facts, pairing, options, memory);
  startAt(state, events.length === 0 ? 0 : events.timeAt(pairing.segments[0]?.firstRow ?? 0));
  return state;
}

/** True if trace data is missing between two segments: only then can call paths be unconfirmed. */
function hasLosses({ pairing }: ReplayState): boolean {
  return pairing.segments.length > 1;
}

/** True if the thread begins with its parent's calls. Only a traced kernel shows that it goes on where that had called it. */
function continuesParent({ options, facts }: ReplayState): boolean {
  return options.isForked === true && facts.showsTaskSwitches;
}

/** Replays all segments, crossing the losses between them, and then the records after the last branch. */
function runReplay(state: ReplayState): ThreadReplay {
  const { events, facts, options } = state;
  const { segments } = state.pairing;
  const [first] = segments;
  const tailRow = rowAfterBranches(0, events.length, events, facts);
  const began = first ? begin(state, first) : { startNs: startWithoutBranch(state), firstStack: [] };
  segments.forEach((segment, index) => {
    const before = segments[index - 1];
    if (before) {
      options.watcher?.atRow(segment.firstRow);
      crossGap(state, before, segment);
    }
    const isLast = index === segments.length - 1;
    const endRow = isLast ? segment.endRow : knownEnd(segment, events, facts); // trace data is missing after it
    executeRows(state, segment.firstRow, Math.min(endRow, tailRow));
  });
  replayTail(state, tailRow, segments.at(-1)?.endRow ?? 0);
  finish(state);
  return resultOf(state, began);
}

/** Likewise of a thread without losses, up to the last one of these rows, and counts only what happens in them. */
function runPart(
  state: ReplayState,
  segment: Segment,
  { firstRow, endRow }: PartRows,
  durations: DurationsBuilder | null,
): PartReplay {
  const { tree, log, events, facts } = state;
  const isFirst = firstRow <= segment.firstRow;
  tree.durations = isFirst ? durations : null;
  const began = begin(state, segment);
  if (!isFirst) {
    executeRows(state, segment.firstRow, firstRow);
    clearCounts(state);
    tree.durations = durations;
  }
  const firstLogRow = isFirst ? 0 : (log?.length ?? 0);
  const row = Math.max(segment.firstRow, firstRow);
  if (endRow < events.length) executeRows(state, row, endRow);
  else {
    const tailRow = rowAfterBranches(0, events.length, events, facts);
    executeRows(state, row, Math.min(segment.endRow, tailRow));
    replayTail(state, tailRow, segment.endRow);
    finish(state);
  }
  return { ...resultOf(state, began, true), firstLogRow };
}

/** When observation of a thread begins, and with which stack. A thread created while recording has no callers. */
interface ObservedStart {
  readonly startNs: Nanoseconds;
  readonly firstStack: readonly SymbolId[];
}

/** Pushes the thread's first stack. */
function begin(state: ReplayState, segment: Segment): ObservedStart {
  const { events, facts } = state;
  state.watcher?.atRow(segment.firstRow);
  const beginning: Beginning = beginningOf(state, segment.firstRow);
  const startNs = startOf(state, beginning);
  if (startNs !== state.nowNs) startAt(state, startNs);
  recordFirstLoss(state, beginning);
  pushFirstStack(
    state,
    restartOf(segment, segment, state.pairing, events, facts, false),
    !beginning.createdInside || continuesParent(state),
  );
  const firstStack = beginning.createdInside ? [] : openSymbols(state, MAX_PATH_DEPTH);
  if (state.nowNs !== events.timeAt(segment.firstRow)) waitForFirstBranch(state, beginning);
  return { startNs, firstStack };
}

/** Replays the records after the last branch; those before `endRow` belong to the last segment. */
function replayTail(state: ReplayState, row: number, endRow: number): void {
  const { events, facts, options } = state;
  const mayBeLost = options.mayBeUndecoded === true && (endRow === 0 || state.stop === null);
  const lostRow = mayBeLost ? firstLostRow(row, events, facts) : NONE;
  if (lostRow === NONE) {
    executeRows(state, row, endRow);
    return recordErrors(state, endRow, events.length);
  }
  executeRows(state, row, lostRow);
  if (facts.scope !== 'user' && row > 0) chargeUntil(state, events.timeAt(lostRow)); // decoded up to there
  loseEnd(state, row, lostRow);
}

/**
 * Records the loss after the last branch (in the row before `row`): whatever the thread did on a CPU since is unknown.
 */
function loseEnd(state: ReplayState, row: number, lostRow: number): void {
  const { events, facts, options } = state;
  const lastSeen = { ip: addressBefore(row, events, facts), isLast: true };
  const nextErrorRow = followSwitches(state, lostRow, events.length, lastSeen);
  if (stoppedNode(state) !== NONE) return recordErrors(state, nextErrorRow, events.length); // it waits until the end
  const endNs = options.extendTo?.endNs ?? (events.length > 0 ? events.timeAt(events.length - 1) : state.nowNs);
  loseUntil(state, endNs, nextErrorRow, events.length, lastSeen);
}

/** Ends the replay. A thread that is stopped or off its CPU keeps waiting until the end of the recording. */
function finish(state: ReplayState): void {
  const { extendTo } = state.options;
  if (state.facts.showsTaskSwitches && state.switchedOut !== NONE) beginOffCpu(state);
  if (stoppedNode(state) !== NONE && extendTo && extendTo.endNs > state.nowNs) chargeUntil(state, extendTo.endNs);
  endStop(state, false);
  endStacks(state);
}

/** `withEmpty`: the tree has nodes without calls and time, too. */
function resultOf(state: ReplayState, { startNs, firstStack }: ObservedStart, withEmpty = false): ThreadReplay {
  const { tree, log, lost, inferred, hiddenNs, inferredEvents, confirmedNodes, resumptions } = state;
  const built = tree.build();
  return {
    tree: log || withEmpty ? built : withoutEmptyNodes(built),
    log: log?.build() ?? null,
    startNs,
    endNs: state.nowNs,
    inferred,
    lost,
    firstStack,
    paths: functionPaths(built, confirmedNodes ?? built.length, state.facts.inlined),
    hiddenNs,
    resumptions: resumptions.build(),
    inferredEvents,
    hasUnconfirmedPaths: confirmedNodes !== null || (state.options.knownPaths === null && continuesParent(state)),
    switcher: state.pairing.switcher,
  };
}

/**
 * Crosses a loss between two segments: records the gap, and keeps of the old stack only what the next segment confirms.
 *
 * Goes from one segment to the next: after an exec, with a new program; while the trace was stopped, with a wait; else
 * with a loss.
 */
function crossGap(state: ReplayState, before: Segment, after: Segment): void {
  const { events, facts } = state;
  if (isNewProgram(before, after, events, facts)) return startNewProgram(state, before, after);
  const restart = restartOf(before, after, state.pairing, events, facts, true);
  state.signalTail = NONE;
  if (state.stop !== null) {
    waitThrough(state, before, after);
    return restartStack(state, restart, state.nowNs);
  }
  const loss = beginLoss(state, before, after);
  // A thread that comes out of a system call was in it meanwhile; otherwise only the old stack is known for this time.
  const isOfNewStack = comesOutOfSyscall(facts, events.siteAt(after.firstRow)) && stoppedNode(state) === NONE;
  if (!isOfNewStack) recordRest(state, loss, after);
  restartStack(state, restart, loss.lostNs);
  if (isOfNewStack) recordRest(state, loss, after);
}

/** Charges the wait of a stopped thread. If perf reports a loss of this very thread, it had gone on some time before. */
function waitThrough(state: ReplayState, before: Segment, after: Segment): void {
  const { events, facts, certainty } = state;
  const errorRow = knownEnd(before, events, facts);
  if (errorRow < before.endRow) certainty.setMove(Doubt.AfterLoss);
  executeRows(state, errorRow, before.endRow);
  chargeUntil(state, events.timeAt(after.firstRow));
  endStop(state, true);
  certainty.setMove(Doubt.None);
  recordGap(state, before.endRow, after.firstRow, state.nowNs);
}

/** A loss, after following its switches; the time after the last switch is still to be recorded. */
interface Loss {
  readonly firstRow: number;
  readonly lostNs: number;
  readonly lastSeen: LastSeen;
  /** Errors from this row on have not been counted yet. */
  readonly nextErrorRow: number;
  /** Number of gaps recorded before this loss. */
  readonly gapsBefore: number;
}

/** Follows the thread's switches from the point where trace data is missing. */
function beginLoss(state: ReplayState, before: Segment, after: Segment): Loss {
  const { events, facts, lost } = state;
  const firstRow = knownEnd(before, events, facts);
  const isError = firstRow === before.endRow && firstRow < after.firstRow;
  if (isError && stoppedNode(state) === NONE) chargeUntil(state, events.timeAt(firstRow)); // decoded up to there
  const lostNs = state.nowNs;
  const gapsBefore = lost.length;
  const branchEnd = rowAfterBranches(before.firstRow, firstRow, events, facts);
  const lastSeen = { ip: addressBefore(branchEnd, events, facts), isLast: false };
  const nextErrorRow = followSwitches(state, firstRow, after.firstRow, lastSeen);
  return { firstRow, lostNs, lastSeen, nextErrorRow, gapsBefore };
}

function recordRest(state: ReplayState, { firstRow, lastSeen, nextErrorRow, gapsBefore }: Loss, after: Segment): void {
  loseUntil(state, state.events.timeAt(after.firstRow), nextErrorRow, after.firstRow, lastSeen);
  if (state.lost.length === gapsBefore) recordGap(state, firstRow, after.firstRow, state.nowNs); // it took no time
}

/** Starts a new program after an exec: nothing of the old stack is left. */
function startNewProgram(state: ReplayState, before: Segment, after: Segment): void {
  const { events, facts } = state;
  if (knownEnd(before, events, facts) < before.endRow) recordRest(state, beginLoss(state, before, after), after);
  else waitForExec(state, before, after);
  endStacks(state);
  state.signalTail = NONE;
  pushFirstStack(state, restartOf(before, after, state.pairing, events, facts, false), true);
}

/** Charges the time up to an exec before which nothing is missing. */
function waitForExec(state: ReplayState, before: Segment, after: Segment): void {
  for (let row = before.endRow; row < after.firstRow; row++) {
    const action = actionOf(state.pairing.rows.actionAt(row));
    if (action >= Action.SwitchOut && action !== Action.Exec) applySwitch(state, row, action);
  }
  chargeUntil(state, state.events.timeAt(after.firstRow));
  endStop(state, true);
  recordErrors(state, before.endRow, after.firstRow);
}

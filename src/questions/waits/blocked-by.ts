/**
 * Turns blocked time into a profile: the waiter's stack, whom it waited for, and above that, upside down, what that
 * thread did meanwhile.
 */

import { functionNodes, type LogAnswers, type ThreadQuestions } from '../../analysis/log/answer-thread.js';
import type { KeyedIntervals } from '../../analysis/log/trees-over.js';
import {
  type CallFilter,
  type CallSelection,
  type FunctionSet,
  isDirectRecursion,
  isInSet,
} from '../../analysis/questions.js';
import { CallTreeBuilder, ROOT } from '../../model/calls/call-tree.js';
import type { Shape } from '../../model/calls/overlay.js';
import { float64Column, int32Column } from '../../model/columns.js';
import { appendTo } from '../../model/groups.js';
import type { Profile } from '../../model/profile/profile.js';
import { SymbolKind, withSymbols } from '../../model/symbol-table.js';
import { type Nanoseconds, NONE, type NodeId, type SymbolId, type Tid, UNBOUNDED } from '../../model/units.js';
import type { AnalyzeOptions } from '../../pipeline/analyze.js';
import type { TraceSource } from '../../pipeline/open-sources.js';
import { qualityOfThreads } from '../../pipeline/profile/read-profile.js';
import type { AnalyzedInput } from '../../pipeline/read/read-trace.js';
import { noTrace } from '../../pipeline/read/refusals.js';
import { filterOf, partText } from '../../pipeline/replay/selection.js';
import { HeldTime, type HeldWait, wokenNs } from '../../waits/locks/held-time.js';
import { lockWaitsOf } from '../../waits/locks/lock-waits.js';
import { OffState } from '../../waits/schedule.js';
import { eachWaitWithin } from '../../waits/summary/wait-sums.js';
import { nsWithin } from '../../waits/summary/window.js';
import { type CallsOfWaits, type TraceWaits, withWaits } from './ask-waits.js';
import { EndedBy, WaitFacts } from './wait-facts.js';

/**
 * Lists for whom blocked threads waited, when: holders of locks where they are known, else who woke them in the end.
 *
 * By wait, then by time where a thread is known. They add up to the selected blocked time.
 */
interface Blockers {
  readonly length: number;
  readonly wait: Int32Array;
  /** A thread: its tid. Otherwise a negative number: `NoBlocker`. */
  readonly blocker: Int32Array;
  readonly fromNs: Float64Array; // NaN: no thread
  readonly ns: Float64Array;
}

/** `Maybe`: a thread that was perhaps only interrupted; it is not blamed. */
const NoBlocker = { Unknown: -1, Interrupt: -2, PassedOn: -3, WakeUp: -4, Maybe: -5, StillWaits: -6 } as const;
type NoBlocker = (typeof NoBlocker)[keyof typeof NoBlocker];

/** `isSelected`: by wait. Only their time in the window counts; for whom it was is concluded from all of the recording. */
function blockersOf({ waits, window, trace }: TraceWaits, facts: WaitFacts, isSelected: ArrayLike<number>): Blockers {
  const rows = new BlockerRows();
  const locks = lockWaitsOf(waits, trace.samples);
  const held = new HeldTime(waits, locks);
  const heldWithin = window === UNBOUNDED ? held : new HeldTime(waits, locks, window);
  for (let wait = 0; wait < waits.length; wait++) {
    if (waits.state[wait] !== OffState.Blocked || isSelected[wait] !== 1) continue;
    const { outNs, inNs } = waits;
    const wokenAtNs = wokenNs(waits, wait);
    if (held.of(wait).pieces.length > 0) addHolders(rows, heldWithin.of(wait), wait);
    else {
      const blocker = blockerOf(facts.endedBy(wait), waits.waker[wait]);
      rows.add(wait, blocker, Math.max(outNs[wait], window.startNs), nsWithin(window, outNs[wait], wokenAtNs));
    }
    rows.add(wait, NoBlocker.WakeUp, Number.NaN, nsWithin(window, wokenAtNs, inNs[wait]));
  }
  return rows.build();
}

function addHolders(rows: BlockerRows, { pieces, passedOnNs, unknownNs }: HeldWait, wait: number): void {
  for (let piece = 0; piece < pieces.length; piece++)
    rows.add(wait, pieces.holder[piece], pieces.fromNs[piece], pieces.toNs[piece] - pieces.fromNs[piece]);
  rows.add(wait, NoBlocker.PassedOn, Number.NaN, passedOnNs);
  rows.add(wait, NoBlocker.Unknown, Number.NaN, unknownNs);
}

function blockerOf(endedBy: EndedBy, waker: Tid): number {
  switch (endedBy) {
    case EndedBy.Thread:
      return waker;
    case EndedBy.MaybeThread:
      return NoBlocker.Maybe;
    case EndedBy.Interrupt:
      return NoBlocker.Interrupt;
    case EndedBy.Open:
      return NoBlocker.StillWaits;
    default:
      return NoBlocker.Unknown;
  }
}

class BlockerRows {
  private readonly wait = int32Column();
  private readonly blocker = int32Column();
  private readonly fromNs = float64Column();
  private readonly ns = float64Column();

  add(wait: number, blocker: number, fromNs: Nanoseconds, ns: Nanoseconds): void {
    if (!(ns > 0)) return;
    this.wait.push(wait);
    this.blocker.push(blocker);
    this.fromNs.push(blocker < 0 ? Number.NaN : fromNs);
    this.ns.push(ns);
  }

  build(): Blockers {
    const { wait, blocker, fromNs, ns } = this;
    return { length: wait.length, wait: wait.view(), blocker: blocker.view(), fromNs: fromNs.view(), ns: ns.view() };
  }
}

/**
 * Returns a profile with a tree for each thread that waited. A frame such as `-- waits for bob` counts each wait as a
 * call; one that the window cuts is inferred. Calls are selected as the waiters made them.
 *
 * @throws PtflameError as `analyze`, and NO_BRANCHES for a recording without calls
 */
export function profileBlockedTime(
  inputs: readonly (TraceSource | AnalyzedInput)[],
  options: AnalyzeOptions = {},
): Promise<Profile> {
  return withWaits(inputs, { ...options, trees: 'apart', asksAgain: true }, async (traceWaits) => {
    const { calls, trace } = traceWaits;
    if (calls === null) throw noTrace(trace.account.withoutTrace[0]);
    return blockedTimeOf(traceWaits, calls, options);
  });
}

/** Returns the same of waits that are known. */
export async function blockedTimeOf(
  traceWaits: TraceWaits,
  calls: CallsOfWaits,
  options: AnalyzeOptions,
): Promise<Profile> {
  const filter = filterOf(options, calls.symbols, traceWaits.trace);
  const isSelected = await selectedWaits(traceWaits, calls, filter);
  const groups = groupBlockers(traceWaits, calls, blockersOf(traceWaits, new WaitFacts(traceWaits), isSelected));
  const asked = questionsAbout(groups, (tid) => traceWaits.threads.of(tid).isRecorded);
  const answers = await calls.askable.ask(asked);
  return profileOf(traceWaits, calls, groups, answers, filter ?? NO_FILTER, partText(options));
}

const NO_FILTER = { foldsRecursion: false, root: null };

/** Waits of a thread on one path for the same thread; rows are those of `Blockers`. */
interface Group {
  readonly waiter: Tid;
  readonly node: NodeId; // of the waiter's paths
  readonly blocker: number;
  readonly rows: number[];
}

interface Groups {
  readonly all: readonly Group[];
  readonly blockers: Blockers;
}

function groupBlockers({ waits }: TraceWaits, { paths, waiterNode }: CallsOfWaits, blockers: Blockers): Groups {
  const functionOf = functionNodes(paths);
  const groups = new Map<string, Group>();
  for (let row = 0; row < blockers.length; row++) {
    const wait = blockers.wait[row];
    const waiter = waits.tid[wait];
    const node = waiterNode[wait] === NONE ? ROOT : functionOf[waiterNode[wait]];
    const blocker = blockers.blocker[row];
    const key = `${waiter} ${node} ${blocker}`;
    const group = groups.get(key);
    if (group) group.rows.push(row);
    else groups.set(key, { waiter, node, blocker, rows: [row] });
  }
  return { all: [...groups.values()], blockers };
}

/** The key of an interval is the number of its group. */
function questionsAbout({ all, blockers }: Groups, isTraced: (tid: Tid) => boolean) {
  const keysOf = new Map<Tid, number[]>();
  all.forEach(({ blocker }, key) => {
    if (blocker < 0 || !isTraced(blocker)) return;
    appendTo(keysOf, blocker, key);
  });
  const intervalsOf = (keys: readonly number[]): KeyedIntervals => {
    const rows = keys.flatMap((key) => all[key].rows.map((row) => ({ key, row })));
    return {
      key: Int32Array.from(rows, ({ key }) => key),
      fromNs: Float64Array.from(rows, ({ row }) => blockers.fromNs[row]),
      toNs: Float64Array.from(rows, ({ row }) => blockers.fromNs[row] + blockers.ns[row]),
    };
  };
  return new Map(
    [...keysOf].map(([tid, keys]) => {
      return [tid, { nodesAt: null, treesOver: intervalsOf(keys), spans: null, spanTrees: null }] as const;
    }),
  );
}

/** Time of a node of the blocker's paths. */
interface NodeTime {
  readonly node: NodeId;
  readonly ns: Nanoseconds;
  readonly inferredNs: Nanoseconds;
}

/** `part`: the selection in words; null: everything. */
function profileOf(
  traceWaits: TraceWaits,
  calls: CallsOfWaits,
  groups: Groups,
  answers: LogAnswers,
  filter: Pick<CallFilter, 'foldsRecursion' | 'root'>,
  part: string | null,
): Profile {
  const names = groups.all.map(({ blocker }) => ({ name: blockerName(traceWaits, blocker), dso: null }));
  const { table, rows: symbolOf } = withSymbols(calls.symbols, names, SymbolKind.Synthetic);
  const times = timesByKey(groups.all.length, answers);
  const shown = new Map<Tid, ShownTree>();
  groups.all.forEach((group, key) => {
    const tree = shown.get(group.waiter) ?? { builder: new CallTreeBuilder(), nodeOf: new Map() };
    shown.set(group.waiter, tree);
    const { builder } = tree;
    const node = builder.child(addShownPath(tree, calls.paths, group.node, filter), symbolOf[key]);
    for (const row of group.rows) countWait(builder, node, groups.blockers, row, traceWaits.shown);
    let restNs = group.rows.reduce((sum, row) => sum + groups.blockers.ns[row], 0);
    for (const { node: own, ns, inferredNs } of times[key]) {
      const above = addPath(builder, node, shownPath(answers.paths, own, { ...filter, root: null }).reverse());
      builder.charge(above, ns - inferredNs);
      builder.charge(above, inferredNs, null);
      restNs -= ns;
    }
    builder.charge(node, Math.max(0, restNs));
  });
  const threads = calls.profile.threads.flatMap((thread) => {
    const builder = shown.get(thread.tid)?.builder;
    return builder ? [{ ...thread, tree: builder.build(), durations: null, hiddenNs: 0 }] : [];
  });
  const what = 'blocked time, by the threads waited for';
  const meta = { ...calls.profile.meta, isBlockedTime: true as const, part: part === null ? what : `${what}, ${part}` };
  const profile = { ...calls.profile, meta, symbols: table, threads, together: null, durations: null };
  return { ...profile, quality: qualityOfThreads(threads, profile) };
}

function timesByKey(keys: number, { threads }: LogAnswers): NodeTime[][] {
  const times: NodeTime[][] = Array.from({ length: keys }, () => []);
  for (const { treesOver } of threads.values())
    treesOver?.key.forEach((key, row) => {
      const { node, ns, inferredNs } = treesOver;
      times[key].push({ node: node[row], ns: ns[row], inferredNs: inferredNs[row] });
    });
  return times;
}

function countWait(
  builder: CallTreeBuilder,
  node: NodeId,
  { wait, ns }: Blockers,
  row: number,
  { isCut }: TraceWaits['shown'],
): void {
  if (isCut[wait[row]] === 1) builder.countInferred(node, ns[row]);
  else builder.countComplete(node, ns[row]);
}

/** The tree of a waiter. */
interface ShownTree {
  readonly builder: CallTreeBuilder;
  /** By node of the waiter's paths: the node that shows it, so that deep paths are not added again and again. */
  readonly nodeOf: Map<NodeId, NodeId>;
}

/** Adds what is shown of a path, as `shownPath` has it. Returns its node. */
function addShownPath(
  { builder, nodeOf }: ShownTree,
  paths: Shape,
  end: NodeId,
  { foldsRecursion, root }: Pick<CallFilter, 'foldsRecursion' | 'root'>,
): NodeId {
  const added: NodeId[] = [];
  let at = end;
  for (; at > ROOT && !nodeOf.has(at); at = paths.parent[at]) added.push(at);
  let shown = nodeOf.get(at) ?? ROOT;
  for (const node of added.reverse()) {
    const symbol = paths.symbol[node];
    const isBegun = shown !== ROOT || root === null || isInSet(root, symbol);
    if (isBegun && !(foldsRecursion && isDirectRecursion(paths, node))) shown = builder.child(shown, symbol);
    nodeOf.set(node, shown);
  }
  return shown;
}

function addPath(builder: CallTreeBuilder, from: NodeId, path: readonly SymbolId[]): NodeId {
  return path.reduce((node, symbol) => builder.child(node, symbol), from);
}

const NO_BLOCKER: Readonly<Record<NoBlocker, string>> = {
  [NoBlocker.Unknown]: '-- [not known]',
  [NoBlocker.Interrupt]: '-- waits for [interrupt]',
  [NoBlocker.PassedOn]: '-- lock passed on',
  [NoBlocker.WakeUp]: '-- from waking to running',
  [NoBlocker.Maybe]: '-- maybe an interrupt',
  [NoBlocker.StillWaits]: '-- still waiting',
};

function blockerName({ threads }: TraceWaits, blocker: number): string {
  if (blocker < 0) return NO_BLOCKER[blocker as NoBlocker];
  const { comm, isRecorded } = threads.of(blocker);
  const name = comm ?? String(blocker);
  return `-- waits for ${isRecorded ? name : `[${name}]`}`;
}

/** Applies a selection of calls to waits, as a call tree applies it to time. By wait; 1: a part of it is in the selected time of a selected thread, and it is inside of the selected calls. */
export async function selectedWaits(
  { waits, shown, threads }: TraceWaits,
  calls: CallsOfWaits,
  filter: CallFilter | null,
): Promise<Uint8Array> {
  const selected = shown.isWithin.map((is, wait) => is & Number(threads.of(waits.tid[wait]).isSelected));
  if (filter === null) return selected;
  for (const condition of conditionsOf(filter)) {
    const isMet = await waitsIn(condition, waits, calls, filter.foldsRecursion);
    for (let wait = 0; wait < waits.length; wait++) selected[wait] &= isMet[wait];
  }
  return selected;
}

function conditionsOf({ inside, root }: CallFilter): CallSelection[] {
  return [...inside, ...(root ? [{ functions: root, durations: null }] : [])];
}

/** By wait; 1: its stack has one of the functions, in a call of the wanted duration. */
async function waitsIn(
  selection: CallSelection,
  waits: TraceWaits['waits'],
  calls: CallsOfWaits,
  foldsRecursion: boolean,
): Promise<Uint8Array> {
  const isInside = nodesInside(calls.paths, selection.functions);
  const isOfDuration = selection.durations && (await waitsInSpans(selection, waits, calls, foldsRecursion));
  return Uint8Array.from(calls.waiterNode, (node, wait) => {
    return node === NONE ? 0 : isInside[node] & (isOfDuration?.[wait] ?? 1);
  });
}

/** By call path; 1: it has one of the functions. */
function nodesInside({ length, parent, symbol }: Shape, functions: FunctionSet): Uint8Array {
  const isInside = new Uint8Array(length);
  for (let node = ROOT + 1; node < length; node++)
    isInside[node] = isInside[parent[node]] | Number(isInSet(functions, symbol[node]));
  return isInside;
}

/** By wait; 1: such a call lasted while the thread waited. */
async function waitsInSpans(
  calls: CallSelection,
  waits: TraceWaits['waits'],
  { askable }: CallsOfWaits,
  foldsRecursion: boolean,
): Promise<Uint8Array> {
  const question: ThreadQuestions = {
    ...{ nodesAt: null, treesOver: null, spanTrees: null },
    spans: { calls, window: UNBOUNDED },
  };
  const { threads, paths } = await askable.ask(new Map(Array.from(waits.tids, (tid) => [tid, question])));
  const isInside = new Uint8Array(waits.length);
  for (const [tid, { spans }] of threads)
    spans?.node.forEach((node, row) => {
      if (foldsRecursion && isDirectRecursion(paths, node)) return; // part of the call below it
      eachWaitWithin(waits, tid, spans.startNs[row], spans.endNs[row], (wait) => {
        isInside[wait] = 1;
      });
    });
  return isInside;
}

/** Returns the functions of a path, outermost first. `roots`: the outermost of these begins it; null: all of it is shown. */
export function shownPath(
  { parent, symbol }: Shape,
  end: NodeId,
  { foldsRecursion, root: roots }: Pick<CallFilter, 'foldsRecursion' | 'root'>,
): SymbolId[] {
  const path: SymbolId[] = [];
  for (let node = end; node > ROOT; node = parent[node])
    if (!foldsRecursion || !isDirectRecursion({ parent, symbol }, node)) path.push(symbol[node]);
  const first = roots ? path.findLastIndex((own) => isInSet(roots, own)) : path.length - 1;
  return path.slice(0, first + 1).reverse();
}

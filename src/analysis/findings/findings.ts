/**
 * Finds what stands out of a profile, or of a part of it. Everything is computed from the numbers that tables show; what the
 * trace cannot know is not said.
 */

import { type CallTree, ROOT } from '../../model/calls/call-tree.js';
import { type LossKind, type MergedBy, type Quality, type TraceMeta, toldLosses } from '../../model/profile/profile.js';
import type { WaitingPlace, WaitsByPath } from '../../model/profile/waits-by-path.js';
import { compareSymbols, SymbolKind, type SymbolTable } from '../../model/symbol-table.js';
import type { Nanoseconds, SymbolId } from '../../model/units.js';
import type { FunctionSums } from '../tree/functions.js';
import { isStop, onCpuNs, type TimeSums, timeSums, timeSumsAt } from '../tree/outside.js';
import { namingNode, type PureWaits } from './pure-waits.js';
import {
  DOUBTFUL_INFERRED,
  DOUBTFUL_LOST,
  DOUBTFUL_LOST_RUNNING,
  FIRST_RUNNING,
  LISTED_REASONS,
  LISTED_WAITED_FOR,
  MUCH_CHANGED,
  MUCH_WAITING,
  SECOND_RUNNING,
} from './thresholds.js';

/** What stands out. `allNs`: what shares are of. */
export type Finding =
  | LostTime
  | { readonly kind: 'inferred'; readonly ns: Nanoseconds; readonly allNs: Nanoseconds }
  | Waiting
  | FoundPureWaits
  | HiddenWaits
  | Running
  | Blocked
  | MergedTime
  | Compared;

interface LostTime {
  readonly kind: 'lost';
  readonly ns: Nanoseconds;
  readonly allNs: Nanoseconds;
  /** Of the time in which threads ran or may have run, as little of all time is lost. */
  readonly isOfRunning: boolean;
  /** The cause that lost most in the whole trace; null: unknown. */
  readonly cause: LossKind | null;
}

/** Wakings were recorded: the reasons of waits are known. */
interface Waiting {
  readonly kind: 'waiting';
  readonly ns: Nanoseconds;
  readonly allNs: Nanoseconds;
  /** The most time first. */
  readonly reasons: readonly WaitReason[];
  /** Reasons of shorter waits are not known: those listed may have more. */
  readonly isAtLeast: boolean;
  readonly hasPureWaits: boolean;
}

export interface WaitReason {
  /** Empty: not known. */
  readonly reason: string;
  readonly ns: Nanoseconds;
}

interface FoundPureWaits {
  readonly kind: 'pure-waits';
  readonly ns: Nanoseconds;
  readonly allNs: Nanoseconds;
  /** Number of call paths. */
  readonly paths: number;
  /** The function that names the largest; calls are those on this path. */
  readonly largest: {
    readonly symbol: SymbolId;
    readonly calls: number;
    readonly inferred: number;
    readonly ns: Nanoseconds;
  };
  /** The threads were off the CPU. Else switches are not recorded: they were outside traced code. */
  readonly isOffCpu: boolean;
}

/** Pure waits are hidden. */
interface HiddenWaits {
  readonly kind: 'hidden-waits';
  readonly ns: Nanoseconds;
  /** What is shown. */
  readonly restNs: Nanoseconds;
  /** Where most of that is; null: nothing runs. */
  readonly most: OwnTime | null;
}

export interface OwnTime {
  readonly symbol: SymbolId;
  readonly selfNs: Nanoseconds;
  readonly calls: number;
  readonly inferred: number;
}

interface Running {
  readonly kind: 'running';
  /** On the CPU; without switches, in traced code. */
  readonly ns: Nanoseconds;
  readonly isOnCpu: boolean;
  readonly first: OwnTime;
  readonly second: OwnTime | null;
}

/** All time is blocked time. */
interface Blocked {
  readonly kind: 'blocked';
  readonly ns: Nanoseconds;
  /** Frames that say for whom threads waited, the most time first. */
  readonly waitedFor: readonly { readonly symbol: SymbolId; readonly ns: Nanoseconds }[];
}

interface MergedTime {
  readonly kind: 'merged';
  readonly recordings: number;
  readonly by: MergedBy;
  readonly allNs: Nanoseconds;
  /** The group with most time. */
  readonly largest: GroupTime;
  readonly pureWaitsNs: Nanoseconds;
}

/** Two sets of numbers are compared. Times are scaled. */
interface Compared {
  readonly kind: 'comparison';
  readonly beforeNs: Nanoseconds;
  readonly afterNs: Nanoseconds;
  /** The function whose own time changed most, beyond noise; null: none changed much. */
  readonly largest: ChangedFunction | null;
}

export interface ChangedFunction {
  readonly symbol: SymbolId;
  readonly beforeNs: Nanoseconds;
  readonly afterNs: Nanoseconds;
  /** The two may differ by chance. */
  readonly isNoise: boolean;
}

/** Returns the finding of a comparison. `functions`: with their own times. */
export function comparisonOf(
  { beforeNs, afterNs }: Pick<Compared, 'beforeNs' | 'afterNs'>,
  functions: readonly ChangedFunction[],
  symbols: SymbolTable,
): Finding {
  const changeNs = (of: ChangedFunction) => Math.abs(of.afterNs - of.beforeNs);
  const leastNs = MUCH_CHANGED * Math.max(beforeNs, afterNs);
  let largest: ChangedFunction | null = null;
  for (const own of functions) {
    if (own.isNoise || changeNs(own) <= leastNs) continue;
    const order = largest === null ? 1 : changeNs(own) - changeNs(largest);
    if (largest === null || order > 0 || (order === 0 && compareSymbols(symbols, own.symbol, largest.symbol) < 0))
      largest = own;
  }
  return { kind: 'comparison', beforeNs, afterNs, largest };
}

export interface GroupTime {
  /** null: unknown. */
  readonly name: string | null;
  readonly ns: Nanoseconds;
}

/** What findings are about. */
export interface FindingsQuestion {
  readonly meta: Pick<TraceMeta, 'weight' | 'isBlockedTime' | 'recorded'> & MergedMeta;
  readonly symbols: SymbolTable;
  /** Of the whole trace. */
  readonly quality: Pick<Quality, 'losses'>;
  readonly hasSwitches: boolean;
  /** Before pure waits are hidden, and as shown. */
  readonly tree: CallTree;
  readonly shown: CallTree;
  readonly pureWaits: PureWaits;
  readonly hidesPureWaits: boolean;
  /** Those of the tree as shown. */
  readonly functions: readonly Pick<FunctionSums, 'symbol' | 'calls' | 'inferred' | 'totalNs' | 'selfNs'>[];
  /** null: wakings were not recorded. */
  readonly waits: KnownReasons | null;
  /** Of a merged profile. */
  readonly groups: readonly GroupTime[];
}

interface MergedMeta {
  readonly merged?: { readonly recordings: number; readonly by: MergedBy } | undefined;
}

/** Why threads waited, as far as it is known. */
export interface KnownReasons {
  readonly reasons: readonly WaitReason[];
  /** Time of waits whose reasons were not kept. */
  readonly otherNs: Nanoseconds;
}

/** Returns all findings that apply, the most important one first. */
export function findingsOf(question: FindingsQuestion): Finding[] {
  const { tree, shown } = question;
  const sums = timeSumsAt(timeSums(tree), ROOT);
  const facts = { ...question, sums, shownSums: shown === tree ? sums : timeSumsAt(timeSums(shown), ROOT) };
  if (question.meta.weight === 'calls' || facts.sums.totalNs === 0) return [];
  const rules = question.meta.isBlockedTime ? [blocked] : RULES;
  return rules.map((rule) => rule(facts)).filter((finding) => finding !== null);
}

interface Facts extends FindingsQuestion {
  /** Of `tree`. */
  readonly sums: TimeSums;
  /** Of `shown`. */
  readonly shownSums: TimeSums;
}

type Rule = (facts: Facts) => Finding | null;

const RULES: readonly Rule[] = [lost, inferred, merged, hiddenWaits, waiting, foundPureWaits, running];

function lost({ sums, quality, meta }: Facts): Finding | null {
  const { totalNs, outsideNs, lostNs: ns } = sums;
  const runningNs = totalNs - outsideNs + ns;
  const isOfRunning = ns <= DOUBTFUL_LOST * totalNs;
  if (isOfRunning && ns <= DOUBTFUL_LOST_RUNNING * runningNs) return null;
  const [cause = null] = toldLosses(quality.losses, meta);
  return { kind: 'lost', ns, allNs: isOfRunning ? runningNs : totalNs, isOfRunning, cause };
}

function inferred({ tree, sums }: Facts): Finding | null {
  // lost time is inferred, too, and has a finding of its own
  const ns = tree.inferredNs.reduce((sum, own) => sum + own, 0) - sums.lostNs;
  return ns > DOUBTFUL_INFERRED * sums.totalNs ? { kind: 'inferred', ns, allNs: sums.totalNs } : null;
}

function merged({ meta, groups, pureWaits, sums }: Facts): Finding | null {
  const [first, ...others] = groups;
  if (meta.merged === undefined || first === undefined || others.length === 0) return null;
  const largest = others.reduce((most, group) => (group.ns > most.ns ? group : most), first);
  return { kind: 'merged', ...meta.merged, allNs: sums.totalNs, largest, pureWaitsNs: pureWaits.ns };
}

function hiddenWaits(facts: Facts): Finding | null {
  const { hidesPureWaits, pureWaits, shownSums } = facts;
  if (!hidesPureWaits || pureWaits.ns === 0) return null;
  const [most = null] = mostSelfTime(facts);
  return { kind: 'hidden-waits', ns: pureWaits.ns, restNs: shownSums.totalNs, most };
}

function waiting({ hidesPureWaits, pureWaits, waits, sums }: Facts): Finding | null {
  const { offCpuNs: ns, totalNs: allNs } = sums;
  const isKnown = waits?.reasons.some(({ reason }) => reason !== '');
  if (waits === null || !isKnown || hidesPureWaits || ns <= MUCH_WAITING * allNs) return null;
  const reasons = [...waits.reasons].sort((a, b) => b.ns - a.ns || (a.reason < b.reason ? -1 : 1));
  return {
    kind: 'waiting',
    ns,
    allNs,
    reasons: reasons.slice(0, LISTED_REASONS),
    isAtLeast: waits.otherNs > 0,
    hasPureWaits: pureWaits.ns > 0,
  };
}

function foundPureWaits(facts: Facts): Finding | null {
  const { hidesPureWaits, pureWaits, sums, symbols, tree, hasSwitches } = facts;
  const [largest] = pureWaits.waits;
  const isMuch = pureWaits.ns > MUCH_WAITING * sums.totalNs;
  if (largest === undefined || hidesPureWaits || !isMuch || waiting(facts) !== null) return null;
  const node = namingNode(tree, symbols, largest);
  const calls = { calls: tree.calls[node], inferred: tree.inferredCalls[node] };
  return {
    kind: 'pure-waits',
    ns: pureWaits.ns,
    allNs: sums.totalNs,
    paths: pureWaits.waits.length,
    largest: { symbol: tree.symbol[node], ...calls, ns: largest.ns },
    isOffCpu: hasSwitches,
  };
}

function running(facts: Facts): Finding | null {
  const { shownSums, hasSwitches } = facts;
  const ns = onCpuNs(shownSums, hasSwitches);
  const [first, second = null] = mostSelfTime(facts);
  if (first === undefined || first.selfNs < FIRST_RUNNING * ns) return null;
  const isShown = second !== null && second.selfNs >= SECOND_RUNNING * ns;
  return { kind: 'running', ns, isOnCpu: hasSwitches, first, second: isShown ? second : null };
}

/** Returns the two functions with most time of their own. */
function mostSelfTime({ functions, symbols }: Facts): OwnTime[] {
  const most: OwnTime[] = [];
  for (const { symbol, selfNs, calls, inferred } of functions) {
    if (selfNs === 0 || isStop(symbol)) continue;
    const isMore = (other: OwnTime) =>
      selfNs > other.selfNs || (selfNs === other.selfNs && compareSymbols(symbols, symbol, other.symbol) < 0);
    const at = most.findIndex(isMore);
    most.splice(at === -1 ? most.length : at, 0, { symbol, selfNs, calls, inferred });
    most.length = Math.min(most.length, 2);
  }
  return most;
}

/** Frames that are neither functions nor stops say for whom threads waited. */
function blocked({ symbols, functions, sums }: Facts): Finding | null {
  const waitedFor = functions
    .filter(({ symbol }) => symbols.kind[symbol] === SymbolKind.Synthetic && !isStop(symbol))
    .map(({ symbol, totalNs: ns }) => ({ symbol, ns }))
    .sort((a, b) => b.ns - a.ns || compareSymbols(symbols, a.symbol, b.symbol));
  if (waitedFor.length === 0) return null;
  return { kind: 'blocked', ns: sums.totalNs, waitedFor: waitedFor.slice(0, LISTED_WAITED_FOR) };
}

/** Sums up the waits of some places by reason, as far as it is known. */
export function reasonsOfWaits(
  { places, unlisted }: Pick<WaitsByPath, 'places' | 'unlisted'>,
  isWanted: (place: WaitingPlace) => boolean = () => true,
): KnownReasons {
  const sums = new Map<string, Nanoseconds>();
  let otherNs = unlisted.ns;
  for (const { kind, reason, ns } of places.filter(isWanted).flatMap(({ blockers }) => blockers)) {
    const key = kind === 'preempted' ? kind : reason.replace(INFERRED, '');
    if (kind === 'others') otherNs += ns;
    else sums.set(key, (sums.get(key) ?? 0) + ns);
  }
  return { reasons: [...sums].map(([reason, ns]) => ({ reason, ns })), otherNs };
}

/** Behind a reason that was concluded from other waits. */
const INFERRED = / \(inferred\)$/;

/**
 * Sums up the waits of the selected function: for whom and why, what those threads did meanwhile, and the longest wait.
 */

import { isOnPaths } from '../../analysis/findings/pure-waits.js';
import { type FunctionSet, isInSet } from '../../analysis/questions.js';
import type { Blocker, WaitingPlace, WaitPiece, WaitsByPath, WaitThread } from '../../model/profile/waits-by-path.js';
import { SpecialSymbol } from '../../model/symbol-table.js';
import { type Nanoseconds, NONE, type SymbolId, type Tid } from '../../model/units.js';
import type { PathFilters } from './leaving-out.js';

/** Blockers with equal names are one row. */
export interface WaitsOfFunction {
  readonly waits: number;
  readonly ns: Nanoseconds;
  readonly wakeUpNs: Nanoseconds;
  /** The most time first, `others` last. */
  readonly blockers: readonly Row[];
  /** What they did meanwhile, by node of the waits' paths. */
  readonly meanwhileNs: Float64Array;
  /** The rest of that, on small paths. */
  readonly otherNs: Nanoseconds;
  readonly longest: WaitingPlace['longest'] & { readonly tid: Tid };
}

const MAX_BLOCKERS = 8;

/** Names of threads, and of functions by symbol. */
export interface WaitNames {
  readonly threads: readonly WaitThread[];
  readonly functions: readonly string[];
}

/** Returns the waits of the threads within a function, as far as focus and hiding show them; null: none. */
export function waitsOfFunction(
  waits: WaitsByPath,
  tids: ReadonlySet<Tid>,
  filters: Pick<PathFilters, 'inside' | 'hidden' | 'hiddenWaits' | 'drawnAs'>,
  chosen: SymbolId,
): WaitsOfFunction | null {
  const { drawnAs } = filters;
  const isChosen = (symbol: SymbolId) => (drawnAs === null ? symbol : drawnAs[symbol]) === chosen;
  const isShown = (place: WaitingPlace) =>
    tids.has(place.tid) && pathOf(waits, place).some(isChosen) && isPlaceShown(waits, place, filters);
  const places = waits.places.filter(isShown);
  const [first] = places;
  if (first === undefined) return null;
  const longest = places.reduce((most, place) => (place.longest.ns > most.longest.ns ? place : most), first);
  const all = places.flatMap(({ blockers }) => blockers);
  const sum = (of: (blocker: Blocker) => number) => all.reduce((total, blocker) => total + of(blocker), 0);
  return {
    waits: sum(({ waits }) => waits),
    ns: sum(({ ns }) => ns),
    wakeUpNs: sum(({ wakeUpNs }) => wakeUpNs),
    blockers: listed(merged(all)),
    meanwhileNs: meanwhileNs(waits, all),
    otherNs: sum(({ otherNs }) => otherNs),
    longest: { ...longest.longest, tid: longest.tid },
  };
}

/** Whether the filters leave the call path that waited. */
export function isPlaceShown(
  waits: WaitsByPath,
  place: WaitingPlace,
  { inside, hidden, hiddenWaits }: Pick<PathFilters, 'inside' | 'hidden' | 'hiddenWaits'>,
): boolean {
  let path = pathOf(waits, place);
  for (const set of inside) path = path.slice(indexIn(path, set));
  const isHidden = hidden !== null && indexIn(path, hidden) < path.length;
  return path.length > 0 && !isHidden && !(hiddenWaits !== null && isOnPaths(hiddenWaits, path));
}

/** Returns where a path enters a set; its length: nowhere. */
function indexIn(path: readonly SymbolId[], set: FunctionSet): number {
  const at = path.findIndex((symbol) => isInSet(set, symbol));
  return at === -1 ? path.length : at;
}

/** Returns the functions and stops of a call path, from the root on. */
function pathOf({ paths }: WaitsByPath, { node, isPreempted }: WaitingPlace): SymbolId[] {
  const path: SymbolId[] = [isPreempted ? SpecialSymbol.Preempted : SpecialSymbol.OffCpu];
  for (let at = node; at > 0; at = paths.parent[at] as number) path.push(paths.symbol[at] as SymbolId);
  return path.reverse();
}

type Row = Omit<Blocker, 'meanwhile' | 'otherNs'>;

function merged(blockers: readonly Blocker[]): Row[] {
  const rows = new Map<string, Row>();
  for (const { meanwhile: _, otherNs: __, ...blocker } of blockers) {
    const { kind, tid, symbol, reason } = blocker;
    const key = [kind, tid, symbol, reason].join();
    const before = rows.get(key);
    rows.set(key, before === undefined ? blocker : sumOf(before, blocker));
  }
  return [...rows.values()].sort((a, b) => b.ns - a.ns);
}

function listed(rows: readonly Row[]): Row[] {
  const known = rows.filter(({ kind }) => kind !== 'others');
  const others = [...known.slice(MAX_BLOCKERS), ...rows.filter(({ kind }) => kind === 'others')];
  const rest: Row = { kind: 'others', tid: NONE, symbol: NONE, reason: '', waits: 0, ns: 0, wakeUpNs: 0 };
  return [...known.slice(0, MAX_BLOCKERS), ...(others.length > 0 ? [others.reduce(sumOf, rest)] : [])];
}

function sumOf(a: Row, b: Row): Row {
  return {
    ...a,
    waits: a.waits + b.waits,
    ns: a.ns + b.ns,
    wakeUpNs: a.wakeUpNs + b.wakeUpNs,
  };
}

function meanwhileNs({ paths }: WaitsByPath, blockers: readonly Blocker[]): Float64Array {
  const sums = new Float64Array(paths.parent.length);
  for (const { meanwhile } of blockers) for (const [node, ns] of meanwhile) sums[node] = (sums[node] as number) + ns;
  return sums;
}

/** Pieces of one kind, thread and function together, the most time first. */
export function summedPieces(pieces: readonly WaitPiece[]): WaitPiece[] {
  const sums = new Map<string, WaitPiece>();
  for (const piece of pieces) {
    const key = [piece.kind, piece.tid, piece.symbol].join();
    sums.set(key, { ...piece, ns: piece.ns + (sums.get(key)?.ns ?? 0) });
  }
  return [...sums.values()].sort((a, b) => b.ns - a.ns);
}

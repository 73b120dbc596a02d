/**
 * Makes the page data of a profile, and writes it, uncompressed: by column, because similar bytes compress well.
 */

import { pageWriter } from '../../codec/page-numbers.js';
import { type CallTree, CallTreeBuilder, NODE_COLUMNS, nodeColumns, ROOT } from '../../model/calls/call-tree.js';
import { overlayTrees, type Shape } from '../../model/calls/overlay.js';
import { renumberedResumptions } from '../../model/calls/resumptions.js';
import { orderedTree } from '../../model/calls/tree-view.js';
import { assert } from '../../model/errors.js';
import { orderedDurations, type SymbolOrder, symbolOrder } from '../../model/profile/file-order.js';
import type { Profile, ThreadProfile } from '../../model/profile/profile.js';
import type { WaitsByPath } from '../../model/profile/waits-by-path.js';
import { type SymbolTable, symbolRanks } from '../../model/symbol-table.js';
import { NONE, type SymbolId } from '../../model/units.js';
import { columnBytes, durationsBytes, shapeBytes } from './columns.js';
import {
  type ComparedRecordings,
  headBytes,
  type PageData,
  type PageHead,
  type PageThread,
  type ThreadHead,
} from './page-data.js';
import type { PageTrigger } from './trigger.js';

/** Yielded between two steps, to let the caller handle other events. */
const NO_BYTES = new Uint8Array();

/**
 * Yields the data in parts. Each thread of the profile must have its own tree. `waits`: null if nothing is known of them.
 * `compared`: its two threads are recordings; null: it is a profile. `trigger`: the call that it is a snapshot of.
 * `blocked`: what `blockedDataPieces` will write.
 */
export function* pageDataPieces(
  profile: Profile,
  waits: WaitsByPath | null = null,
  compared: ComparedRecordings | null = null,
  trigger: PageTrigger | null = null,
  blocked: BlockedTime | null = null,
): Generator<Uint8Array> {
  const order = orderOf(profile, waits, blocked);
  const besides = {
    ...(compared && { compared }),
    ...(trigger && { trigger }),
    ...(waits && { waits: withSymbols(waits, order.rankOf) }),
  };
  yield NO_BYTES;
  yield* treePieces(profile, order, besides);
}

/** Returns what a page reads from `pageDataPieces` and `blockedDataPieces`; memory is shared with the profile. */
export function pageDataOf(
  profile: Profile,
  waits: WaitsByPath | null,
  compared: ComparedRecordings | null,
  blocked: BlockedTime | null,
): { readonly data: PageData; readonly blocked: PageData | 'too large' | null } {
  const order = orderOf(profile, waits, blocked);
  const ranked = waits && withSymbols(waits, order.rankOf);
  const data = { ...dataOf(profile, order), waits: ranked, ...(compared && { compared }) };
  if (blocked === null || blocked === 'too large') return { data, blocked };
  return { data, blocked: { ...dataOf(blockedProfile(profile, blocked), order), symbols: NO_SYMBOLS } };
}

function dataOf(profile: Profile, order: SymbolOrder): PageData {
  const { shape, threads } = overlay(profile, order);
  const trees = threads.map(({ tree }) => tree);
  const { nodes: _, threads: heads, ...head } = headOf(profile, order, shape, trees);
  const threadOf = ({ nodes: _, ...own }: ThreadHead, at: number): PageThread => {
    const { tree, node } = threads[at] as OverlaidTree;
    const { durations } = profile.threads[at] as ThreadProfile;
    const columns = nodeColumns((name) => tree[name]);
    return { ...own, ...columns, node, durations: durations && orderedDurations(durations, order.rankOf) };
  };
  return { ...head, shape, threads: heads.map(threadOf), waits: null };
}

/** A profile of blocked time, or what is left of one that a page has no room for. */
export type BlockedTime = Profile | 'too large';

/** Yields blocked time as the data of a page with the same threads, and without symbols: it uses those of the page. */
export function* blockedDataPieces(
  profile: Profile,
  waits: WaitsByPath | null,
  blocked: BlockedTime,
): Generator<Uint8Array> {
  if (blocked === 'too large') return;
  yield* treePieces(blockedProfile(profile, blocked), orderOf(profile, waits, blocked), { symbols: NO_SYMBOLS });
}

/** Has all threads of the profile. */
function blockedProfile(profile: Profile, blocked: Profile): Profile {
  const known = new Map(blocked.threads.map((thread) => [thread.tid, thread]));
  const threads = profile.threads.map((thread): ThreadProfile => {
    const didNotWait = { ...thread, tree: new CallTreeBuilder().build(), durations: null, hiddenNs: 0 };
    return known.get(thread.tid) ?? didNotWait;
  });
  return { ...blocked, threads };
}

const NO_SYMBOLS: SymbolTable = { length: 0, name: [], kind: [], dso: [], dsoName: [] };

/** Both trees have one table: colours of libraries are alike, and links with numbers fit both. */
function orderOf(profile: Profile, waits: WaitsByPath | null, blocked: BlockedTime | null): SymbolOrder {
  const used = waits === null ? [] : waitSymbols(waits);
  if (blocked === null || blocked === 'too large') return symbolOrder(profile, used);
  const ofBlocked = blocked.threads.flatMap(({ tree }) => [...new Set(tree.symbol.subarray(ROOT + 1))]);
  return symbolOrder({ ...profile, symbols: blocked.symbols }, [...used, ...ofBlocked]);
}

/** `besides`: what the head has besides. */
function* treePieces(profile: Profile, order: SymbolOrder, besides: Partial<PageHead>): Generator<Uint8Array> {
  const { shape, threads } = overlay(profile, order);
  yield NO_BYTES;
  const trees = threads.map(({ tree }) => tree);
  const durations = profile.threads.map(({ durations }) => durations).filter((durations) => durations !== null);
  yield headBytes({ ...headOf(profile, order, shape, trees), ...besides });
  yield shapeBytes(shape);
  yield nodeBytes(threads);
  for (const column of NODE_COLUMNS) yield columnBytes(column, trees);
  yield* durationsBytes(durations.map((known) => orderedDurations(known, order.rankOf)));
}

export function writePageData(profile: Profile, waits: WaitsByPath | null = null): Uint8Array[] {
  return [...pageDataPieces(profile, waits)].filter((piece) => piece !== NO_BYTES);
}

function headOf(
  { meta, quality, threads }: Profile,
  { table, rankOf }: SymbolOrder,
  shape: Shape,
  trees: readonly CallTree[],
): PageHead {
  const heads = threads.map(({ tree: _, durations, resumptions, ...head }, at): ThreadHead => {
    const { length, doubts, inferredNs } = trees[at] as CallTree;
    const hasDoubts = doubts !== undefined && inferredNs.some((ns) => ns > 0);
    return {
      ...head,
      nodes: length,
      durations: durations?.length ?? null,
      ...(hasDoubts && { doubts }),
      ...(resumptions && { resumptions: renumberedResumptions(resumptions, rankOf) }),
    };
  });
  return { meta, symbols: table, quality, nodes: shape.length, threads: heads };
}

function nodeBytes(threads: readonly OverlaidTree[]): Uint8Array {
  const writer = pageWriter();
  for (const { node } of threads) writer.rows(node);
  return writer.view();
}

/**
 * Numbers the symbols of waits as in the page.
 *
 * Returns the symbols that waits use, some several times.
 */
function waitSymbols({ paths, places }: WaitsByPath): SymbolId[] {
  const named = places.flatMap(({ blockers, longest }) => [...blockers, ...longest.pieces]);
  return [...paths.symbol, ...named.map(({ symbol }) => symbol)].filter((symbol) => symbol !== NONE);
}

function withSymbols({ paths, places, ...waits }: WaitsByPath, rankOf: Int32Array): WaitsByPath {
  const rank = (symbol: SymbolId) => (symbol === NONE ? NONE : rankOf[symbol]);
  const ranked = <Named extends { readonly symbol: SymbolId }>(named: Named): Named => {
    return { ...named, symbol: rank(named.symbol) };
  };
  return {
    ...waits,
    paths: { ...paths, symbol: paths.symbol.map(rank) },
    places: places.map(({ blockers, longest, ...place }) => {
      return { ...place, blockers: blockers.map(ranked), longest: { ...longest, pieces: longest.pieces.map(ranked) } };
    }),
  };
}

/** Overlays the trees of all threads, ordered and numbered as in the page. */
interface ThreadsOverlay {
  /** Its symbols are numbered as in the page. */
  readonly shape: Shape;
  readonly threads: readonly OverlaidTree[];
}

/** A tree in the order of the shape. */
interface OverlaidTree {
  readonly tree: CallTree;
  /** Node of the shape for each row of the tree; ascending. */
  readonly node: Int32Array;
}

/** Overlays the threads, each with its own tree. */
function overlay({ symbols, threads, together }: Profile, { rankOf }: SymbolOrder): ThreadsOverlay {
  assert(together === null, 'a page needs one tree per thread');
  const rank = symbolRanks(symbols);
  const trees = threads.map(({ tree }) => orderedTree(tree, rank));
  const { shape, nodes } = overlayTrees(trees, rank);
  return {
    shape: { ...shape, symbol: shape.symbol.map((symbol) => (symbol === NONE ? NONE : rankOf[symbol])) },
    threads: trees.map((tree, at) => ({ tree, node: nodes[at] as Int32Array })),
  };
}

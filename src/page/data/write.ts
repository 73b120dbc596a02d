/**
 * Writes the page data of a profile, uncompressed. It is written by column, because similar bytes compress well.
 */

import { pageWriter } from '../../codec/page-numbers.js';
import type { CallTree } from '../../model/calls/call-tree.js';
import { NODE_COLUMNS } from '../../model/calls/call-tree.js';
import { overlayTrees, type Shape } from '../../model/calls/overlay.js';
import { renumberedResumptions } from '../../model/calls/resumptions.js';
import { orderedTree } from '../../model/calls/tree-view.js';
import { assert } from '../../model/errors.js';
import { orderedDurations, type SymbolOrder, symbolOrder } from '../../model/profile/file-order.js';
import type { Profile } from '../../model/profile/profile.js';
import type { WaitsByPath } from '../../model/profile/waits-by-path.js';
import { symbolRanks } from '../../model/symbol-table.js';
import { NONE, type SymbolId } from '../../model/units.js';
import { columnBytes, durationsBytes, shapeBytes } from './columns.js';
import { type ComparedRecordings, headBytes, type PageHead, type ThreadHead } from './page-data.js';
import type { PageTrigger } from './trigger.js';

/** Yielded between two steps, to let the caller handle other events. */
const NO_BYTES = new Uint8Array();

/**
 * Yields the data in parts. Each thread of the profile must have its own tree. `waits`: null if nothing is known of them.
 * `compared`: its two threads are recordings; null: it is a profile. `trigger`: the call that it is a snapshot of.
 */
export function* pageDataPieces(
  profile: Profile,
  waits: WaitsByPath | null = null,
  compared: ComparedRecordings | null = null,
  trigger: PageTrigger | null = null,
): Generator<Uint8Array> {
  assert(profile.together === null, 'a page needs one tree per thread');
  const order = symbolOrder(profile, waits === null ? [] : waitSymbols(waits));
  yield NO_BYTES;
  const { shape, threads } = overlay(profile, order);
  yield NO_BYTES;
  const trees = threads.map(({ tree }) => tree);
  const durations = profile.threads.map(({ durations }) => durations).filter((durations) => durations !== null);
  const head = { ...headOf(profile, order, shape, trees), ...(compared && { compared }), ...(trigger && { trigger }) };
  yield headBytes(waits === null ? head : { ...head, waits: withSymbols(waits, order.rankOf) });
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
function overlay({ symbols, threads }: Profile, { rankOf }: SymbolOrder): ThreadsOverlay {
  const rank = symbolRanks(symbols);
  const trees = threads.map(({ tree }) => orderedTree(tree, rank));
  const { shape, nodes } = overlayTrees(trees, rank);
  return {
    shape: { ...shape, symbol: shape.symbol.map((symbol) => (symbol === NONE ? NONE : rankOf[symbol])) },
    threads: trees.map((tree, at) => ({ tree, node: nodes[at] as Int32Array })),
  };
}

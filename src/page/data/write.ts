/**
 * Writes the page data of a profile, uncompressed. It is written by column, because similar bytes compress well.
 */

import { NODE_COLUMNS } from '../../model/calls/node-columns.js';
import type { Shape } from '../../model/calls/overlay.js';
import { assert } from '../../model/errors.js';
import { orderedDurations, type SymbolOrder, symbolOrder } from '../../model/profile/file-order.js';
import type { Profile } from '../../model/profile/profile.js';
import type { WaitsByPath } from '../../model/profile/waits-by-path.js';
import { columnBytes } from './columns.js';
import { durationsBytes } from './durations.js';
import { headBytes, type PageHead, type ThreadHead } from './head.js';
import { pageWriter } from './numbers.js';
import { type OverlaidTree, overlay } from './overlay.js';
import { shapeBytes } from './shape.js';
import { waitSymbols, withSymbols } from './waits.js';

/** Yielded between two steps, to let the caller handle other events. */
const NO_BYTES = new Uint8Array();

/** Yields the data in parts. Each thread of the profile must have its own tree. `waits`: null if nothing is known of them. */
export function* pageDataPieces(profile: Profile, waits: WaitsByPath | null = null): Generator<Uint8Array> {
  assert(profile.together === null, 'a page needs one tree per thread');
  const order = symbolOrder(profile, waits === null ? [] : waitSymbols(waits));
  yield NO_BYTES;
  const { shape, threads } = overlay(profile, order);
  yield NO_BYTES;
  const trees = threads.map(({ tree }) => tree);
  const durations = profile.threads.map(({ durations }) => durations).filter((durations) => durations !== null);
  const head = headOf(profile, order, shape);
  yield headBytes(waits === null ? head : { ...head, waits: withSymbols(waits, order.rankOf) });
  yield shapeBytes(shape);
  yield nodeBytes(threads);
  for (const column of NODE_COLUMNS) yield columnBytes(column, trees);
  yield* durationsBytes(durations.map((known) => orderedDurations(known, order.rankOf)));
}

export function writePageData(profile: Profile, waits: WaitsByPath | null = null): Uint8Array[] {
  return [...pageDataPieces(profile, waits)].filter((piece) => piece !== NO_BYTES);
}

function headOf({ meta, quality, threads }: Profile, { table }: SymbolOrder, shape: Shape): PageHead {
  const heads = threads.map(({ tree, durations, ...head }): ThreadHead => {
    return { ...head, nodes: tree.length, durations: durations?.length ?? null };
  });
  return { meta, symbols: table, quality, nodes: shape.length, threads: heads };
}

function nodeBytes(threads: readonly OverlaidTree[]): Uint8Array {
  const writer = pageWriter();
  for (const { node } of threads) writer.rows(node);
  return writer.view();
}

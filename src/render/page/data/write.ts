/**
 * A profile in, the bytes of its page data out, not yet compressed. Compression lives on bytes that are alike: so it is columns.
 */

import { NODE_COLUMNS } from '../../../model/calls/node-columns.js';
import { assert } from '../../../model/errors.js';
import { orderedDurations, type SymbolOrder, symbolOrder } from '../../../model/profile/file-order.js';
import type { Profile } from '../../../model/profile/profile.js';
import { columnBytes } from './columns.js';
import { durationsBytes } from './durations.js';
import { headBytes, type PageHead, type ThreadHead } from './head.js';
import { pageWriter } from './numbers.js';
import { type OverlaidTree, overlay } from './overlay.js';
import type { Shape } from './page-data.js';
import { shapeBytes } from './shape.js';

/** Between two steps, for whoever has to do something else meanwhile. */
const NO_BYTES = new Uint8Array();

/** In pieces, as each is made; each thread of the profile has a tree of its own. */
export function* pageDataPieces(profile: Profile): Generator<Uint8Array> {
  assert(profile.together === null, 'a page of threads whose trees are one');
  const order = symbolOrder(profile);
  yield NO_BYTES;
  const { shape, threads } = overlay(profile, order);
  yield NO_BYTES;
  const trees = threads.map(({ tree }) => tree);
  const durations = profile.threads.map(({ durations }) => durations).filter((durations) => durations !== null);
  yield headBytes(headOf(profile, order, shape));
  yield shapeBytes(shape);
  yield nodeBytes(threads);
  for (const column of NODE_COLUMNS) yield columnBytes(column, trees);
  yield* durationsBytes(durations.map((known) => orderedDurations(known, order)));
}

/** All of them. */
export function writePageData(profile: Profile): Uint8Array[] {
  return [...pageDataPieces(profile)].filter((piece) => piece !== NO_BYTES);
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

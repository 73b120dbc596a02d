/**
 * Encodes and decodes the head of the page data: everything that is not a column, as JSON.
 */

import type { NumberReader } from '../../codec/number-reader.js';
import { pageWriter } from '../../codec/page-numbers.js';
import type { SymbolTable } from '../../model/names/symbol-table.js';
import type { ThreadProfile, TraceMeta } from '../../model/profile/profile.js';
import type { Quality } from '../../model/profile/quality.js';
import type { WaitsByPath } from '../../model/profile/waits-by-path.js';

export interface PageHead {
  readonly meta: TraceMeta;
  readonly symbols: SymbolTable;
  readonly quality: Quality;
  /** Number of nodes of the shape. */
  readonly nodes: number;
  readonly threads: readonly ThreadHead[];
  /** Left out if nothing is known of them. */
  readonly waits?: WaitsByPath;
}

export interface ThreadHead extends Omit<ThreadProfile, 'tree' | 'durations'> {
  /** Number of nodes of the shape that the thread has. */
  readonly nodes: number;
  /** Number of rows; null if unknown. */
  readonly durations: number | null;
}

/** JSON has no bigint. */
interface WrittenHead extends Omit<PageHead, 'meta'> {
  readonly meta: Omit<TraceMeta, 'originNs'> & { readonly originNs: string };
}

export function headBytes(head: PageHead): Uint8Array {
  const written: WrittenHead = { ...head, meta: { ...head.meta, originNs: String(head.meta.originNs) } };
  const writer = pageWriter();
  writer.text(JSON.stringify(written));
  return writer.view();
}

export function readHead(reader: NumberReader): PageHead {
  const { meta, ...head } = JSON.parse(reader.text()) as WrittenHead;
  return { ...head, meta: { ...meta, originNs: BigInt(meta.originNs) } };
}

/**
 * Names and numbers of functions in memory that workers share: a worker writes names that it never had as texts.
 */
import { dsoOf } from '../model/names/symbol-order.js';
import type { SymbolTable } from '../model/names/symbol-table.js';
import { NONE } from '../model/units.js';
import { functionHashes } from './hashes.js';

/** Plain data. */
export interface SharedNames {
  /** By symbol. */
  readonly hashes: BigInt64Array;
  readonly names: SharedTexts;
  readonly files: SharedTexts;
}

/** Different texts, one after another, in UTF-8. */
export interface SharedTexts {
  /** By symbol: its text; NONE if it has none. */
  readonly ofSymbol: Int32Array;
  readonly bytes: Uint8Array;
  /** By text, and one more: where they begin. */
  readonly starts: Float64Array;
}

export function sharedNames(symbols: SymbolTable): SharedNames {
  const hashes = functionHashes(symbols);
  const shared = new BigInt64Array(new SharedArrayBuffer(hashes.byteLength));
  shared.set(hashes);
  const files = symbols.name.map((_, symbol) => dsoOf(symbols, symbol));
  return { hashes: shared, names: sharedTexts(symbols.name), files: sharedTexts(files) };
}

/** `texts`: by symbol. */
function sharedTexts(texts: readonly (string | null)[]): SharedTexts {
  const distinct = [...new Set(texts.filter((text) => text !== null))];
  const rowOf = new Map<string | null, number>(distinct.map((text, row) => [text, row]));
  const ofSymbol = new Int32Array(new SharedArrayBuffer(4 * texts.length));
  ofSymbol.set(texts.map((text) => rowOf.get(text) ?? NONE));
  const encoded = distinct.map((text) => Buffer.from(text));
  const starts = new Float64Array(new SharedArrayBuffer(8 * (encoded.length + 1)));
  encoded.forEach(({ length }, row) => {
    starts[row + 1] = starts[row] + length;
  });
  const bytes = new Uint8Array(new SharedArrayBuffer(starts[encoded.length]));
  encoded.forEach((text, row) => {
    bytes.set(text, starts[row]);
  });
  return { ofSymbol, bytes, starts };
}

export function textCount({ starts }: SharedTexts): number {
  return starts.length - 1;
}

export function textAt({ bytes, starts }: SharedTexts, text: number): Uint8Array {
  return bytes.subarray(starts[text], starts[text + 1]);
}

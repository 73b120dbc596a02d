/**
 * Names and numbers of functions in memory that workers share: a worker writes names that it never had as texts.
 */
import { dsoOf } from '../../model/names/symbol-order.js';
import type { SymbolTable } from '../../model/names/symbol-table.js';
import type { SymbolId } from '../../model/units.js';
import { functionHashes } from './hashes.js';

/** Plain data. */
export interface SharedNames {
  /** By symbol. */
  readonly hashes: BigInt64Array;
  readonly names: SharedTexts;
  /** By symbol: empty if it is unknown. */
  readonly files: SharedTexts;
}

/** Texts one after another, in UTF-8. */
interface SharedTexts {
  readonly bytes: Uint8Array;
  /** By text, and one more: where they begin. */
  readonly starts: Float64Array;
}

export function sharedNames(symbols: SymbolTable): SharedNames {
  const hashes = functionHashes(symbols);
  const shared = new BigInt64Array(new SharedArrayBuffer(hashes.byteLength));
  shared.set(hashes);
  const files = symbols.name.map((_, symbol) => dsoOf(symbols, symbol) ?? '');
  return { hashes: shared, names: sharedTexts(symbols.name), files: sharedTexts(files) };
}

function sharedTexts(texts: readonly string[]): SharedTexts {
  const starts = new Float64Array(new SharedArrayBuffer(8 * (texts.length + 1)));
  texts.forEach((text, at) => {
    starts[at + 1] = starts[at] + Buffer.byteLength(text);
  });
  const bytes = new Uint8Array(new SharedArrayBuffer(starts[texts.length]));
  texts.forEach((text, at) => {
    bytes.set(Buffer.from(text), starts[at]);
  });
  return { bytes, starts };
}

/** Returns the same array for a symbol each time: what compares arrays compares them by identity first. */
export class TextsOfSymbols {
  private readonly found = new Map<SymbolId, Uint8Array>();
  private readonly texts: SharedTexts;

  constructor(texts: SharedTexts) {
    this.texts = texts;
  }

  at(symbol: SymbolId): Uint8Array {
    const known = this.found.get(symbol);
    if (known !== undefined) return known;
    const { bytes, starts } = this.texts;
    const text = bytes.slice(starts[symbol], starts[symbol + 1]);
    this.found.set(symbol, text);
    return text;
  }
}

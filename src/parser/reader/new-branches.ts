/**
 * Copies new branches out of a reader's kernel; their numbers continue from those sent before.
 */
import {
  END_ADDRESS,
  END_BYTES,
  END_FILE,
  END_FLAGS,
  END_START,
  END_SYMBOL,
  TEXT_BYTES,
  TEXT_LENGTH,
  TEXT_OFFSET,
} from '../kernel/layout.js';
import type { Kernel } from '../kernel.js';

const FLOAT = Float64Array.BYTES_PER_ELEMENT;
const INT = Int32Array.BYTES_PER_ELEMENT;

/** Columns of a row that describes one end of branches: the kernel's records of eight bytes a number. */
export const End = {
  Address: END_ADDRESS / FLOAT,
  /** Start of its function; NaN if unknown. */
  Start: END_START / FLOAT,
  /** A row of the symbols. If negative, the whole end is a row of the texts: `~symbol`. */
  Symbol: END_SYMBOL / FLOAT,
  /** A row of the files; negative if none was printed. */
  File: END_FILE / FLOAT,
  /** In origins: kind and edge of the branch, see `packFlags`. */
  Flags: END_FLAGS / FLOAT,
} as const;
export const END_COLUMNS = END_BYTES / FLOAT;

export interface NewBranches {
  /** The ends before and after the arrow: END_COLUMNS each. */
  readonly origins: Float64Array;
  readonly targets: Float64Array;
  /** Names of functions and of their files; bytes as latin1 characters, like the texts. */
  readonly symbols: readonly string[];
  readonly files: readonly string[];
  /** Ends in an unusual form, as perf prints them. */
  readonly texts: readonly string[];
  /** The origin and the target of each branch. */
  readonly pairs: Int32Array;
}

/** How many of each were sent. */
export type SentCounts = { readonly [Of in keyof NewBranches]: number };
export const NONE_SENT: SentCounts = { origins: 0, targets: 0, symbols: 0, files: 0, texts: 0, pairs: 0 };

/** Returns what a kernel has seen since; `texts` come from elsewhere. All arrays are copies. */
export function newBranches(kernel: Kernel, sent: SentCounts, texts: readonly string[]): NewBranches {
  const { buffer } = kernel.memory;
  const origins = new Float64Array(buffer, kernel.originsStart(), kernel.originsBytes() / FLOAT);
  const targets = new Float64Array(buffer, kernel.targetsStart(), kernel.targetsBytes() / FLOAT);
  const pairs = new Int32Array(buffer, kernel.pairsStart(), kernel.pairsBytes() / INT);
  return {
    origins: origins.slice(sent.origins),
    targets: targets.slice(sent.targets),
    symbols: newTexts(buffer, sent.symbols, symbolSpans(kernel)),
    files: newTexts(buffer, sent.files, fileSpans(kernel)),
    texts,
    pairs: pairs.slice(sent.pairs),
  };
}

/** Texts in the kernel's memory: rows of offset and length, relative to the first byte of a table. */
interface TextSpans {
  readonly tableStart: number;
  readonly start: number;
  readonly bytes: number;
}

function symbolSpans(kernel: Kernel): TextSpans {
  return { tableStart: kernel.namesStart(), start: kernel.symbolsStart(), bytes: kernel.symbolsBytes() };
}

function fileSpans(kernel: Kernel): TextSpans {
  return { tableStart: kernel.fileNamesStart(), start: kernel.filesStart(), bytes: kernel.filesBytes() };
}

function newTexts(buffer: ArrayBuffer, sent: number, { tableStart, start, bytes }: TextSpans): string[] {
  const spans = new DataView(buffer, start, bytes);
  const texts: string[] = [];
  for (let at = TEXT_BYTES * sent; at < bytes; at += TEXT_BYTES) {
    const [offset, length] = [spans.getInt32(at + TEXT_OFFSET, true), spans.getInt32(at + TEXT_LENGTH, true)];
    texts.push(Buffer.from(buffer, tableStart + offset, length).toString('latin1'));
  }
  return texts;
}

/** Adds the branches sent now. */
export function addToSent(sent: SentCounts, news: NewBranches): SentCounts {
  const { origins, targets, symbols, files, texts, pairs } = news;
  return {
    origins: sent.origins + origins.length,
    targets: sent.targets + targets.length,
    symbols: sent.symbols + symbols.length,
    files: sent.files + files.length,
    texts: sent.texts + texts.length,
    pairs: sent.pairs + pairs.length,
  };
}

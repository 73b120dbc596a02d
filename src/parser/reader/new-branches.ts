/**
 * What a reader tells of the branches that it has seen first since the last time; numbers go on from those told of before.
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

/** Columns of a row that tells of one end of branches: the kernel's records of eight bytes a number. */
export const End = {
  Address: END_ADDRESS / FLOAT,
  /** Where its function begins; NaN: not known. */
  Start: END_START / FLOAT,
  /** A row of the symbols; below zero, the whole end is a row of the texts instead: `~symbol`. */
  Symbol: END_SYMBOL / FLOAT,
  /** A row of the files; below zero: none was printed. */
  File: END_FILE / FLOAT,
  /** Of origins: kind and edge of the branch, as `meaningOf` makes them one. */
  Flags: END_FLAGS / FLOAT,
} as const;
export const END_COLUMNS = END_BYTES / FLOAT;

export interface NewBranches {
  /** What stands before arrows, and behind them: END_COLUMNS each. */
  readonly origins: Float64Array;
  readonly targets: Float64Array;
  /** Names of functions, and of the files that they are in; bytes as latin1 characters, like the texts. */
  readonly symbols: readonly string[];
  readonly files: readonly string[];
  /** Ends that do not look as usual, as perf prints them. */
  readonly texts: readonly string[];
  /** Numbers of origin and target, one pair a branch. */
  readonly pairs: Int32Array;
}

/** How many of each were told of. */
export type SentCounts = { readonly [Of in keyof NewBranches]: number };
export const NONE_SENT: SentCounts = { origins: 0, targets: 0, symbols: 0, files: 0, texts: 0, pairs: 0 };

/** What a kernel has learned since; `texts` are kept elsewhere. Copies: good for ever. */
export function newBranches(kernel: Kernel, told: SentCounts, texts: readonly string[]): NewBranches {
  const { buffer } = kernel.memory;
  const origins = new Float64Array(buffer, kernel.originsStart(), kernel.originsBytes() / FLOAT);
  const targets = new Float64Array(buffer, kernel.targetsStart(), kernel.targetsBytes() / FLOAT);
  const pairs = new Int32Array(buffer, kernel.pairsStart(), kernel.pairsBytes() / INT);
  return {
    origins: origins.slice(told.origins),
    targets: targets.slice(told.targets),
    symbols: newTexts(buffer, told.symbols, symbolSpans(kernel)),
    files: newTexts(buffer, told.files, fileSpans(kernel)),
    texts,
    pairs: pairs.slice(told.pairs),
  };
}

/** Where texts stand in the kernel's memory: offset from the first byte of their table, and length, of each. */
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

function newTexts(buffer: ArrayBuffer, told: number, { tableStart, start, bytes }: TextSpans): string[] {
  const places = new DataView(buffer, start, bytes);
  const texts: string[] = [];
  for (let at = TEXT_BYTES * told; at < bytes; at += TEXT_BYTES) {
    const [offset, length] = [places.getInt32(at + TEXT_OFFSET, true), places.getInt32(at + TEXT_LENGTH, true)];
    texts.push(Buffer.from(buffer, tableStart + offset, length).toString('latin1'));
  }
  return texts;
}

/** What was told of, with what is told of now. */
export function addToSent(told: SentCounts, news: NewBranches): SentCounts {
  const { origins, targets, symbols, files, texts, pairs } = news;
  return {
    origins: told.origins + origins.length,
    targets: told.targets + targets.length,
    symbols: told.symbols + symbols.length,
    files: told.files + files.length,
    texts: told.texts + texts.length,
    pairs: told.pairs + pairs.length,
  };
}

/**
 * What a reader tells of the branches that it has seen first since the last time; numbers go on from those told of before.
 */
import type { Kernel } from './kernel.js';

/** Columns of a row that tells of one end of branches. */
export const End = {
  Address: 0,
  /** Where its function begins; NaN: not known. */
  Start: 1,
  /** A row of the symbols; below zero, the whole end is a row of the texts instead: `~symbol`. */
  Symbol: 2,
  /** A row of the files; below zero: none was printed. */
  File: 3,
  /** Of origins: kind and edge of the branch, as `meaningOf` makes them one. */
  Flags: 4,
} as const;
export const END_COLUMNS = 5;

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
export type ToldBranches = { readonly [Of in keyof NewBranches]: number };
export const NOTHING_TOLD: ToldBranches = { origins: 0, targets: 0, symbols: 0, files: 0, texts: 0, pairs: 0 };

/** What a kernel has learned since; `texts` are kept elsewhere. Copies: good for ever. */
export function newBranches(kernel: Kernel, told: ToldBranches, texts: readonly string[]): NewBranches {
  const { buffer } = kernel.memory;
  const origins = new Float64Array(buffer, kernel.originsStart(), kernel.originsBytes() / 8);
  const targets = new Float64Array(buffer, kernel.targetsStart(), kernel.targetsBytes() / 8);
  const pairs = new Int32Array(buffer, kernel.pairsStart(), kernel.pairsBytes() / 4);
  return {
    origins: origins.slice(told.origins),
    targets: targets.slice(told.targets),
    symbols: newTexts(buffer, told.symbols, symbolPlaces(kernel)),
    files: newTexts(buffer, told.files, filePlaces(kernel)),
    texts,
    pairs: pairs.slice(told.pairs),
  };
}

/** Where texts stand in the kernel's memory: offset from the first byte of their table, and length, of each. */
interface TextPlaces {
  readonly tableStart: number;
  readonly start: number;
  readonly bytes: number;
}

function symbolPlaces(kernel: Kernel): TextPlaces {
  return { tableStart: kernel.namesStart(), start: kernel.symbolsStart(), bytes: kernel.symbolsBytes() };
}

function filePlaces(kernel: Kernel): TextPlaces {
  return { tableStart: kernel.fileNamesStart(), start: kernel.filesStart(), bytes: kernel.filesBytes() };
}

function newTexts(buffer: ArrayBuffer, told: number, { tableStart, start, bytes }: TextPlaces): string[] {
  const places = new Int32Array(buffer, start, bytes / 4);
  const texts: string[] = [];
  for (let at = 2 * told; at < places.length; at += 2)
    texts.push(Buffer.from(buffer, tableStart + places[at], places[at + 1]).toString('latin1'));
  return texts;
}

/** What was told of, with what is told of now. */
export function toldWith(told: ToldBranches, news: NewBranches): ToldBranches {
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

/**
 * The branches that a reader with memory of its own knows, in a thread that does not share it: the reader sends what it
 * adds with each piece.
 */
import { float64Column, int32Column } from '../model/columns.js';
import { assert } from '../model/errors.js';
import { type Branches, END_COLUMNS, End, type KnownBranches } from './known-branches.js';

/** The rows that a reader added since it sent the last ones. Plain data. */
export interface AddedBranches {
  readonly firstPair: number;
  readonly origins: Float64Array;
  readonly targets: Float64Array;
  readonly pairs: Int32Array;
  readonly symbols: readonly string[];
  readonly files: readonly string[];
  /** Ends in an unusual form. */
  readonly texts: readonly string[];
}

/** Of a reader: tells what is new. */
export class BranchSender {
  /** How much was sent. */
  private readonly sent = { origins: 0, targets: 0, pairs: 0, symbols: 0, files: 0, texts: 0 };

  constructor(private readonly branches: KnownBranches) {}

  /** Returns copies. */
  added(): AddedBranches {
    const { branches, sent } = this;
    branches.update();
    const origins = branches.origins.slice(sent.origins);
    const targets = branches.targets.slice(sent.targets);
    const pairs = branches.pairs.slice(sent.pairs);
    const used = usedTexts([origins, targets]);
    const rows = (from: number, to: number, textOf: (row: number) => string) =>
      Array.from({ length: Math.max(0, to - from) }, (_, row) => textOf(from + row));
    const added = {
      firstPair: sent.pairs,
      origins,
      targets,
      pairs,
      symbols: rows(sent.symbols, used.symbols, (row) => branches.symbol(row)),
      files: rows(sent.files, used.files, (row) => branches.file(row)),
      texts: rows(sent.texts, used.texts, (row) => branches.unusualEnd(row)),
    };
    for (const name of ['origins', 'targets', 'pairs', 'symbols', 'files', 'texts'] as const)
      sent[name] += added[name].length;
    return added;
  }
}

/** Returns how many symbols, files and texts there must be for these ends. */
function usedTexts(ends: readonly Float64Array[]): { symbols: number; files: number; texts: number } {
  const used = { symbols: 0, files: 0, texts: 0 };
  for (const rows of ends)
    for (let at = 0; at < rows.length; at += END_COLUMNS) {
      const symbol = rows[at + End.Symbol];
      if (symbol < 0) used.texts = Math.max(used.texts, ~symbol + 1);
      else used.symbols = Math.max(used.symbols, symbol + 1);
      used.files = Math.max(used.files, rows[at + End.File] + 1);
    }
  return used;
}

/** The same rows in another thread. */
export class AddedRows implements Branches {
  origins: Float64Array = new Float64Array();
  targets: Float64Array = new Float64Array();
  pairs: Int32Array = new Int32Array();
  private readonly columns = { origins: float64Column(), targets: float64Column(), pairs: int32Column() };
  private readonly symbols: string[] = [];
  private readonly files: string[] = [];
  private readonly texts: string[] = [];

  /** Adds what the reader sent next. */
  add({ firstPair, origins, targets, pairs, symbols, files, texts }: AddedBranches): void {
    assert(firstPair === this.columns.pairs.length, 'branches of a reader are missing');
    this.columns.origins.append(origins);
    this.columns.targets.append(targets);
    this.columns.pairs.append(pairs);
    for (const symbol of symbols) this.symbols.push(symbol);
    for (const file of files) this.files.push(file);
    for (const text of texts) this.texts.push(text);
  }

  update(): void {
    this.origins = this.columns.origins.view();
    this.targets = this.columns.targets.view();
    this.pairs = this.columns.pairs.view();
  }

  symbol(row: number): string {
    return this.symbols[row] as string;
  }

  file(row: number): string {
    return this.files[row] as string;
  }

  unusualEnd(row: number): string {
    return this.texts[row] as string;
  }
}

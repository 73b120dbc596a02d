/**
 * The branches that a reader with memory of its own knows, in a thread that does not share it: the reader sends what it
 * adds with each piece.
 */
import { float64Column } from '../model/columns.js';
import { assert } from '../model/errors.js';
import { BRANCH_COLUMNS, Branch, type Branches, End, type KnownBranches } from './known-branches.js';

/** The rows that a reader added since it sent the last ones. Plain data. */
export interface AddedBranches {
  /** How many numbers were sent before. */
  readonly first: number;
  readonly rows: Float64Array;
  readonly symbols: readonly string[];
  readonly files: readonly string[];
  /** Ends in an unusual form. */
  readonly texts: readonly string[];
}

/** Of a reader: tells what is new. */
export class BranchSender {
  /** How much was sent. */
  private readonly sent = { rows: 0, symbols: 0, files: 0, texts: 0 };

  constructor(private readonly branches: KnownBranches) {}

  /** Returns copies. */
  added(): AddedBranches {
    const { branches, sent } = this;
    branches.update();
    const rows = branches.rows.slice(sent.rows);
    const used = usedTexts(rows);
    const textsOf = (from: number, to: number, textOf: (row: number) => string) =>
      Array.from({ length: Math.max(0, to - from) }, (_, row) => textOf(from + row));
    const added = {
      first: sent.rows,
      rows,
      symbols: textsOf(sent.symbols, used.symbols, (row) => branches.symbol(row)),
      files: textsOf(sent.files, used.files, (row) => branches.file(row)),
      texts: textsOf(sent.texts, used.texts, (row) => branches.unusualEnd(row)),
    };
    for (const name of ['rows', 'symbols', 'files', 'texts'] as const) sent[name] += added[name].length;
    return added;
  }
}

/** Returns how many symbols, files and texts there must be for these branches. */
function usedTexts(rows: Float64Array): { symbols: number; files: number; texts: number } {
  const used = { symbols: 0, files: 0, texts: 0 };
  for (let row = 0; row < rows.length; row += BRANCH_COLUMNS)
    for (const at of [row + Branch.From, row + Branch.To]) {
      const symbol = rows[at + End.Symbol];
      if (symbol < 0) used.texts = Math.max(used.texts, ~symbol + 1);
      else used.symbols = Math.max(used.symbols, symbol + 1);
      used.files = Math.max(used.files, rows[at + End.File] + 1);
    }
  return used;
}

/** The same rows in another thread. */
export class AddedRows implements Branches {
  rows: Float64Array = new Float64Array();
  private readonly column = float64Column();
  private readonly symbols: string[] = [];
  private readonly files: string[] = [];
  private readonly texts: string[] = [];

  /** Adds what the reader sent next. */
  add({ first, rows, symbols, files, texts }: AddedBranches): void {
    assert(first === this.column.length, 'branches of a reader are missing');
    this.column.append(rows);
    for (const symbol of symbols) this.symbols.push(symbol);
    for (const file of files) this.files.push(file);
    for (const text of texts) this.texts.push(text);
  }

  update(): void {
    this.rows = this.column.view();
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

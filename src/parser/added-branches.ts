/**
 * The branches that a reader with memory of its own knows, in a thread that does not share it: the reader sends what it
 * adds with each piece.
 */
import { float64Column } from '../model/columns.js';
import { assert } from '../model/errors.js';
import {
  BRANCH_COLUMNS,
  Branch,
  type Branches,
  End,
  type KnownBranches,
  TEXT_KINDS,
  type TextKind,
} from './known-branches.js';

/** The rows that a reader added since it sent the last ones. Plain data. */
export interface AddedBranches extends Readonly<Record<TextKind, readonly string[]>> {
  /** How many numbers were sent before. */
  readonly first: number;
  readonly rows: Float64Array;
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
    const textsOf = (kind: TextKind) =>
      Array.from({ length: Math.max(0, used[kind] - sent[kind]) }, (_, row) => branches.text(kind, sent[kind] + row));
    const [symbols = [], files = [], texts = []] = TEXT_KINDS.map(textsOf);
    const added = { first: sent.rows, rows, symbols, files, texts };
    for (const name of ['rows', ...TEXT_KINDS] as const) sent[name] += added[name].length;
    return added;
  }
}

/** Returns how many symbols, files and texts there must be for these branches. */
function usedTexts(rows: Float64Array): Record<TextKind, number> {
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
  private readonly texts: Record<TextKind, string[]> = { symbols: [], files: [], texts: [] };

  /** Adds what the reader sent next. */
  add({ first, rows, ...added }: AddedBranches): void {
    assert(first === this.column.length, 'branches of a reader are missing');
    this.column.append(rows);
    for (const kind of TEXT_KINDS) for (const text of added[kind]) this.texts[kind].push(text);
  }

  update(): void {
    this.rows = this.column.view();
  }

  text(kind: TextKind, row: number): string {
    return this.texts[kind][row] as string;
  }
}

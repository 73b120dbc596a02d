/**
 * Arranges calls by line for the report page, with the text of source files, and bounds both.
 */
import { groupBy } from '../../model/groups.js';
import { dsoOf, lineOf, type SymbolTable } from '../../model/symbol-table.js';
import { NONE, type SymbolId } from '../../model/units.js';
import type { LineCalls } from '../../pipeline/replay/name-functions.js';
import { visibleText } from '../../render/visible-text.js';
import type { ListedFunction } from '../data/requests.js';
import type { PageSource, SourceCodeLine, SourceFunction } from '../data/source.js';

export type { PageSource };

const MAX_FUNCTIONS = 300;
const MAX_CALLEES = 40;
/** Of all text together. */
const MAX_TEXT_CHARS = 2 ** 18;
const MAX_LINE_CHARS = 200;
/** A function that is longer has only the lines around its calls. */
const MAX_LINES = 200;
const LINES_AROUND = 3;
/** Lines after the last call, unless its end comes before. */
const LINES_AFTER = 12;

/** Returns the lines of a source file; null: it may not be read, or is not there. */
export type ReadSource = (file: string) => readonly string[] | null;

export function sourceForPage(all: readonly LineCalls[], symbols: SymbolTable, read: ReadSource): PageSource {
  const byCaller = groupBy(all, ({ caller }) => caller);
  const name = (symbol: SymbolId): ListedFunction => [symbols.name[symbol] as string, dsoOf(symbols, symbol)];
  const withLines = [...byCaller].filter(([, rows]) => rows.some(({ line }) => line !== null));
  const nsOf = (rows: readonly LineCalls[]) => rows.reduce((sum, { ns }) => sum + ns, 0);
  const ordered = withLines
    .map(([symbol, rows]) => ({ symbol, rows, ns: nsOf(rows), key: name(symbol).join('\n') }))
    .sort((a, b) => b.ns - a.ns || (a.key < b.key ? -1 : 1));
  const writer = new SourceWriter(symbols, name, read);
  const functions = ordered.slice(0, MAX_FUNCTIONS).map(({ symbol, rows }) => writer.write(symbol, rows));
  return { functions, leftOut: ordered.length - functions.length };
}

type Line = { -readonly [Key in keyof SourceCodeLine]: SourceCodeLine[Key] };

class SourceWriter {
  private charsLeft = MAX_TEXT_CHARS;

  constructor(
    private readonly symbols: SymbolTable,
    private readonly name: (symbol: SymbolId) => ListedFunction,
    private readonly read: ReadSource,
  ) {}

  write(symbol: SymbolId, rows: readonly LineCalls[]): SourceFunction {
    const first = lineOf(this.symbols, symbol);
    const file = first?.file ?? rows.find(({ line }) => line !== null)?.line?.file ?? '';
    const own = this.linesOf(
      rows.filter(({ line }) => line?.file === file),
      file,
    );
    const others = this.linesOf(
      rows.filter(({ line }) => line?.file !== file),
      file,
    );
    const numbers = own.map(({ line }) => line as number);
    const shown = this.withText(file, own, first === null ? numbers : [first.line, ...numbers].sort((a, b) => a - b));
    return { fn: this.name(symbol), file, lines: [...shown, ...others] };
  }

  /** Lines without a number are last. */
  private linesOf(rows: readonly LineCalls[], file: string): Line[] {
    const lines = new Map<string, { at: LineCalls['line']; rows: LineCalls[] }>();
    for (const row of rows) {
      const key = row.line === null ? '' : `${row.line.line} ${row.line.file}`;
      const known = lines.get(key);
      if (known === undefined) lines.set(key, { at: row.line, rows: [row] });
      else known.rows.push(row);
    }
    const ordered = [...lines.values()].sort(
      ({ at: a }, { at: b }) =>
        Number(a === null) - Number(b === null) ||
        ((a?.file ?? '') < (b?.file ?? '') ? -1 : Number((a?.file ?? '') > (b?.file ?? ''))) ||
        (a?.line ?? 0) - (b?.line ?? 0),
    );
    return ordered.map(({ at, rows: own }) => {
      const ownNs = own.find(({ callee }) => callee === NONE)?.ns ?? 0;
      const calls = own
        .filter(({ callee }) => callee !== NONE)
        .map(({ callee, calls, inferred, ns }) => ({ fn: this.name(callee), calls, inferred, ns }))
        .sort((a, b) => b.ns - a.ns || (a.fn[0] < b.fn[0] ? -1 : 1))
        .slice(0, MAX_CALLEES);
      const path = at === null || at.file === file ? {} : { file: at.file };
      return { line: at?.line ?? null, ...path, ...(ownNs > 0 && { ownNs }), ...(calls.length > 0 && { calls }) };
    });
  }

  /** Adds the text of lines, and the lines between them. `numbers`: those to show, ascending. */
  private withText(file: string, lines: readonly Line[], numbers: readonly number[]): Line[] {
    const text = numbers.length === 0 ? null : this.read(file);
    if (text === null) return [...lines];
    const byNumber = new Map(lines.map((line) => [line.line, line]));
    const [from, to] = [numbers[0] as number, numbers.at(-1) as number];
    const isLong = to - from > MAX_LINES;
    const shown: Line[] = [];
    let next = 0; // the first of the numbers that is not far above this line
    for (let number = from; number <= Math.min(text.length, to + LINES_AFTER); number++) {
      const known = byNumber.get(number);
      byNumber.delete(number);
      while (next < numbers.length && (numbers[next] as number) < number - LINES_AROUND) next++;
      const isNear = !isLong || (next < numbers.length && (numbers[next] as number) <= number + LINES_AROUND);
      if (!isNear && known === undefined) continue;
      const own = visibleText((text[number - 1] as string).slice(0, MAX_LINE_CHARS).replaceAll('\t', '    '));
      this.charsLeft -= own.length;
      if (this.charsLeft < 0 && known === undefined) continue;
      shown.push({ ...(known ?? { line: number }), ...(this.charsLeft >= 0 && { text: own }) });
      if (number > to && own.startsWith('}')) break;
    }
    return [...shown, ...byNumber.values()]; // lines that the file does not have
  }
}

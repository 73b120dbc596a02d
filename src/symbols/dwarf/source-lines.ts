/**
 * Finds the lines of source code at addresses of a binary, and the addresses of a line, in its line tables.
 *
 * By addresses, only the tables of units that have one of them are read. Debug information that contradicts itself gives no lines.
 */
import { countAtOrBelow } from '../../model/columns.js';
import type { SourceLine } from '../../model/symbol-table.js';
import type { ElfFile } from '../elf-file.js';
import { ByteReader } from './byte-reader.js';
import type { AttributeValue } from './forms.js';
import { type LineHeader, type OnRow, readLineHeader, runLineProgram } from './line-program.js';
import { type DebugBudget, readingAlone } from './reading.js';
import { Attribute, DebugFile, eachRange, offsetOf, textIn, type Unit } from './units.js';

/** What an address in a table takes while the table is known. */
const ROW_BYTES = 100;
const LINES = '.debug_line';

/**
 * Returns the lines at which the code at some addresses begins, or that it continues; null where unknown. Addresses are those
 * of the file, ascending.
 */
export function sourceLines(elf: ElfFile, addresses: Float64Array, reading = readingAlone()): (SourceLine | null)[] {
  const lines = new Array<SourceLine | null>(addresses.length).fill(null);
  for (const { unit, at, rows } of tablesWith(new DebugFile(elf, reading), addresses)) {
    const wanted = Float64Array.from(rows, (row) => addresses[row]);
    reading.budget.orNull(() =>
      eachLine(unit, at, wanted, (row, line) => {
        lines[rows[row]] ??= line;
      }),
    );
  }
  return lines;
}

interface LineTable {
  readonly unit: Unit;
  /** Offset in `.debug_line`. */
  readonly at: number;
  /** Rows of the addresses that are looked for in it, ascending. */
  readonly rows: number[];
}

/** Units may share a table. */
function tablesWith(file: DebugFile, addresses: Float64Array): LineTable[] {
  const { budget } = file.sections;
  const tables = new Map<number, { readonly unit: Unit; readonly found: Set<number> }>();
  const addUnit = (unit: Unit) => {
    const at = offsetOf(unit.attributes.get(Attribute.StmtList));
    if (at === null) return;
    const add = (start: number, end: number) => {
      if (start === 0) return; // code that the linker left out
      const first = countAtOrBelow(addresses, start - 1);
      for (let row = first; row < addresses.length && addresses[row] < end; row++) {
        budget.spend();
        let table = tables.get(at);
        if (table === undefined) tables.set(at, (table = { unit, found: new Set() }));
        if (table.found.has(row)) continue;
        budget.hold(ROW_BYTES);
        table.found.add(row);
      }
    };
    budget.orNull(() => eachRange(unit, add));
  };
  budget.orNull(() => file.eachUnit(addUnit));
  return Array.from(tables, ([at, { unit, found }]) => ({ unit, at, rows: [...found].sort((a, b) => a - b) }));
}

/** Calls `onLine` with the row of each wanted address that the table has. */
function eachLine(unit: Unit, at: number, wanted: Float64Array, onLine: (row: number, line: SourceLine) => void): void {
  const { reader, header, paths } = openTable(unit, at);
  const onFound = (row: number, file: number, line: number) => {
    const path = line > 0 ? paths.pathOf(file) : null;
    if (path !== null) onLine(row, { file: path, line });
  };
  runLineProgram(reader, header, rowFinder(wanted, unit.file.sections.budget, onFound));
}

function openTable(unit: Unit, at: number) {
  const { sections } = unit.file;
  const head = sections.window(LINES, at, 12);
  const length = head.unitLength();
  const reader = new ByteReader(sections.read(LINES, at, head.at + length));
  sections.budget.spend(length);
  reader.unitLength();
  const header = readLineHeader(reader, sections.budget);
  reader.at = header.programAt;
  return { reader, header, paths: new LinePaths(unit, header) };
}

/** Where a line of source code is. */
export interface LinePlaces {
  /** Where a statement of the line begins; none: the line has no code. */
  readonly addresses: readonly number[];
  /** The next line of the file that has code. */
  readonly nextLine: number | null;
  /** The file is in the debug information. */
  readonly isKnown: boolean;
}

/** `path`: of a file, or the end of its path. */
export function placesOfLine(elf: ElfFile, path: string, line: number, reading = readingAlone()): LinePlaces {
  const file = new DebugFile(elf, reading);
  const addresses = new Set<number>();
  let nextLine = Number.POSITIVE_INFINITY;
  let isKnown = false;
  const onTable = (unit: Unit, at: number) => {
    const { reader, header, paths } = openTable(unit, at);
    const isWanted = (number: number) => `/${paths.pathOf(number)}`.endsWith(`/${path}`);
    let before: number | null = null; // the line of the row before, in the file
    let isLeftOut = false; // by the linker
    let isFirst = true; // of the sequence
    runLineProgram(reader, header, (row) => {
      if (isFirst) isLeftOut = row.address === 0;
      isFirst = row.isEnd;
      const own = !row.isEnd && !isLeftOut && isWanted(row.file) ? row.line : null;
      isKnown ||= own !== null;
      if (own !== null && row.isStatement && own > line) nextLine = Math.min(nextLine, own);
      if (own === line && own !== before && row.isStatement) addresses.add(row.address);
      before = own;
    });
  };
  const tables = new Set<number>();
  reading.budget.orNull(() =>
    file.eachUnit((unit) => {
      const at = offsetOf(unit.attributes.get(Attribute.StmtList));
      if (at === null || tables.has(at)) return;
      tables.add(at);
      reading.budget.orNull(() => onTable(unit, at));
    }),
  );
  const next = Number.isFinite(nextLine) ? nextLine : null;
  return { addresses: [...addresses].sort((a, b) => a - b), nextLine: next, isKnown };
}

/**
 * Finds the rows of a table that decide wanted addresses.
 *
 * Where an address has rows of its own, the first one that begins a statement decides, as debuggers stop at no others; without
 * one, the last, which gdb and addr2line show. Between rows, the last one before the address decides. Where an address has one
 * statement, gdb shows the same line. Where a function begins, gcc may have several,
 *
 *     0x1160  plain.c 4  statement   static int hidden(int n)
 *     0x1160  twice.h 3  statement     what is inlined in its first line
 *     0x1160  plain.c 6  statement     its second line
 *
 * and only the first is where the function begins; gdb shows the last, addr2line the second of these.
 */
function rowFinder(
  wanted: Float64Array,
  budget: DebugBudget,
  onFound: (row: number, file: number, line: number) => void,
): OnRow {
  let address = Number.NaN; // of the row before in the sequence
  let next = 0; // the first wanted address that is not before it
  let [file, line] = [0, 0]; // of the last row there
  let [ownFile, ownLine, isStatement] = [0, 0, false]; // of the row that decides the address itself
  let isLeftOut = false;
  return (row) => {
    if (Number.isNaN(address)) {
      isLeftOut = row.address === 0; // by the linker
      next = countAtOrBelow(wanted, row.address - 1);
    } else if (!isLeftOut)
      for (; next < wanted.length && wanted[next] < row.address; next++) {
        budget.spend();
        if (wanted[next] === address) onFound(next, ownFile, ownLine);
        else onFound(next, file, line);
      }
    if (row.address !== address) isStatement = false;
    if (!isStatement) {
      [ownFile, ownLine] = [row.file, row.line];
      isStatement = row.isStatement && row.line > 0;
    }
    [file, line] = [row.file, row.line];
    address = row.isEnd ? Number.NaN : row.address;
  };
}

/** The paths of a table's files. */
class LinePaths {
  private readonly paths = new Map<number, string | null>();

  constructor(
    private readonly unit: Unit,
    private readonly header: LineHeader,
  ) {}

  pathOf(file: number): string | null {
    let path = this.paths.get(file);
    if (path === undefined) this.paths.set(file, (path = this.unit.file.sections.budget.orNull(() => this.read(file))));
    return path;
  }

  private read(number: number): string | null {
    const { version, files, directories } = this.header;
    const file = files[version >= 5 ? number : number - 1];
    const name = file && this.textOf(file.name);
    if (file === undefined || !name) return null;
    const directory = directories[version >= 5 ? file.directory : file.directory - 1];
    const inUnit = this.textOf(this.unit.attributes.get(Attribute.CompDir)) ?? '';
    const path = joined(inUnit, joined((directory && this.textOf(directory)) ?? '', name));
    this.unit.file.sections.budget.keep(path);
    return path;
  }

  private textOf(value: AttributeValue | undefined): string | null {
    return textIn(this.unit, value);
  }
}

function joined(directory: string, path: string): string {
  return directory === '' || path.startsWith('/') ? path : `${directory}/${path}`;
}

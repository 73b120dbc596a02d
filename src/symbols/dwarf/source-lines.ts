/**
 * Finds the lines of source code at addresses of a binary, in its line tables.
 *
 * Only the tables of units that have one of the addresses are read. Debug information that contradicts itself gives no lines.
 */
import { countAtOrBelow } from '../../model/columns.js';
import type { SourceLine } from '../../model/names/symbol-table.js';
import type { ElfFile } from '../elf/elf-file.js';
import { ByteReader, WorkBudget } from './byte-reader.js';
import type { AttributeValue } from './forms.js';
import { type LineHeader, readLineHeader } from './line-header.js';
import { runLineProgram } from './line-program.js';
import { DebugSections } from './sections.js';
import { UnitRanges } from './unit-ranges.js';
import { offsetOf, textIn } from './unit-values.js';
import { Attribute, eachUnit, orNull, type Unit } from './units.js';

/** Units, ranges, files and rows: a binary with 1 GB of debug information needs about half of them. */
const MAX_STEPS = 5e7;
const BYTES_PER_STEP = 4;

/**
 * Returns the lines at which the code at some addresses begins, or that it continues; null where unknown. Addresses are those
 * of the file, ascending.
 */
export function sourceLines(elf: ElfFile, addresses: Float64Array): (SourceLine | null)[] {
  const lines = new Array<SourceLine | null>(addresses.length).fill(null);
  const sections = new DebugSections(elf);
  const budget = new WorkBudget(MAX_STEPS);
  for (const { unit, at, rows } of orNull(() => tablesWith(sections, budget, addresses)) ?? []) {
    const wanted = Float64Array.from(rows, (row) => addresses[row]);
    orNull(() =>
      eachLine(sections, budget, unit, at, wanted, (row, line) => {
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
function tablesWith(sections: DebugSections, budget: WorkBudget, addresses: Float64Array): LineTable[] {
  const ranges = new UnitRanges(sections, budget);
  const tables = new Map<number, LineTable & { readonly found: Set<number> }>();
  eachUnit(sections, budget, (unit) => {
    const at = offsetOf(unit.attributes.get(Attribute.StmtList));
    if (at === null) return;
    const add = (start: number, end: number) => {
      if (start === 0) return; // code that the linker left out
      const first = countAtOrBelow(addresses, start - 1);
      for (let row = first; row < addresses.length && addresses[row] < end; row++) {
        budget.spend();
        let table = tables.get(at);
        if (table === undefined) tables.set(at, (table = { unit, at, rows: [], found: new Set() }));
        table.found.add(row);
      }
    };
    orNull(() => ranges.each(unit, add));
  });
  return [...tables.values()].map(({ unit, at, found }) => ({ unit, at, rows: [...found].sort((a, b) => a - b) }));
}

/** Calls `onLine` with the row of each wanted address that the table has. */
function eachLine(
  sections: DebugSections,
  budget: WorkBudget,
  unit: Unit,
  at: number,
  wanted: Float64Array,
  onLine: (row: number, line: SourceLine) => void,
): void {
  const head = sections.window('.debug_line', at, 12);
  const length = head.unitLength();
  budget.spend(Math.ceil(length / BYTES_PER_STEP));
  const reader = new ByteReader(sections.read('.debug_line', at, head.at + length));
  reader.unitLength();
  const header = readLineHeader(reader, budget);
  reader.at = header.programAt;
  const paths = new LinePaths(sections, unit, header);
  runLineProgram(
    reader,
    header,
    rowFinder(wanted, (row, file, line) => {
      const path = line > 0 ? paths.pathOf(file) : null; // 0: code that belongs to no line
      if (path !== null) onLine(row, { file: path, line });
    }),
  );
}

/** Finds the rows of a table that decide wanted addresses: the first one at the address, else the last one before it. */
function rowFinder(wanted: Float64Array, onFound: (row: number, file: number, line: number) => void) {
  let before = Number.NaN; // address of the row before in the sequence
  let [fileBefore, lineBefore] = [0, 0];
  let isLeftOut = false;
  return (address: number, file: number, line: number, isEnd: boolean): void => {
    if (Number.isNaN(before)) isLeftOut = address === 0;
    if (!isLeftOut) {
      if (address > before) {
        const end = countAtOrBelow(wanted, address - 1);
        for (let row = countAtOrBelow(wanted, before); row < end; row++) onFound(row, fileBefore, lineBefore);
      }
      if (!isEnd && address !== before) {
        const last = countAtOrBelow(wanted, address) - 1;
        if (wanted[last] === address) onFound(last, file, line);
      }
    }
    before = isEnd ? Number.NaN : address;
    [fileBefore, lineBefore] = [file, line];
  };
}

/** The paths of a table's files. */
class LinePaths {
  private readonly paths = new Map<number, string | null>();
  private readonly sections: DebugSections;
  private readonly unit: Unit;
  private readonly header: LineHeader;

  constructor(sections: DebugSections, unit: Unit, header: LineHeader) {
    this.sections = sections;
    this.unit = unit;
    this.header = header;
  }

  pathOf(file: number): string | null {
    let path = this.paths.get(file);
    if (path === undefined) this.paths.set(file, (path = orNull(() => this.read(file))));
    return path;
  }

  private read(number: number): string | null {
    const { version, files, directories } = this.header;
    const file = files[version >= 5 ? number : number - 1];
    const name = file && this.textOf(file.name);
    if (file === undefined || !name) return null;
    const directory = directories[version >= 5 ? file.directory : file.directory - 1];
    const inUnit = this.textOf(this.unit.attributes.get(Attribute.CompDir)) ?? '';
    return joined(inUnit, joined((directory && this.textOf(directory)) ?? '', name));
  }

  private textOf(value: AttributeValue | undefined): string | null {
    return textIn(this.sections, this.unit, value);
  }
}

function joined(directory: string, path: string): string {
  return directory === '' || path.startsWith('/') ? path : `${directory}/${path}`;
}

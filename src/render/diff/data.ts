/**
 * Serializes the paths of a comparison into a file and reads them back in the browser.
 */
import { columnOf, depthsOf, jsonForXml, numbersOf, parentsOf } from '../svg/data.js';
import { visibleText } from '../visible-text.js';
import { type PathColumns, SIDE_COLUMNS, type SideColumns } from './paths.js';

/** What the browser needs besides the paths. */
export interface DiffSettings {
  readonly isIcicle: boolean;
  readonly minPx: number;
  readonly widthOf: 'after' | 'before' | 'larger';
}

type WrittenSide = Record<(typeof SIDE_COLUMNS)[number], readonly number[]>;

interface WrittenPaths extends Pick<PathColumns, 'names' | 'scales' | 'per'> {
  readonly settings: DiffSettings;
  readonly depth: readonly number[];
  readonly symbol: readonly number[];
  readonly omitted: readonly number[];
  readonly before: WrittenSide;
  readonly after: WrittenSide;
}

export function writePaths(columns: PathColumns, settings: DiffSettings): string {
  const { parent, symbol, names, omitted, before, after, scales, per } = columns;
  const side = (of: SideColumns) =>
    Object.fromEntries(SIDE_COLUMNS.map((name) => [name, numbersOf(of[name])])) as unknown as WrittenSide;
  const written: WrittenPaths = {
    settings,
    ...{ names, scales, per },
    depth: Array.from(depthsOf(parent)),
    symbol: Array.from(symbol),
    omitted: numbersOf(omitted),
    before: side(before),
    after: side(after),
  };
  return jsonForXml(written);
}

export function readPaths(text: string): { readonly columns: PathColumns; readonly settings: DiffSettings } {
  const { settings, names, scales, per, depth, symbol, omitted, before, after } = JSON.parse(text) as WrittenPaths;
  const side = (of: WrittenSide) =>
    Object.fromEntries(SIDE_COLUMNS.map((name) => [name, columnOf(of[name], depth.length)])) as unknown as SideColumns;
  const columns = {
    ...{ names, scales, per },
    parent: parentsOf(depth),
    symbol: Int32Array.from(symbol),
    omitted: columnOf(omitted, depth.length),
    before: side(before),
    after: side(after),
  };
  return { columns, settings };
}

interface Pair {
  readonly before: number | null;
  readonly after: number | null;
}

const ROW_NUMBERS = ['totalNs', 'selfNs', 'calls', 'avgNs', 'p99Ns'] as const;
/**
 * The functions of a comparison as rows of the page's table: written into the file, and read back in the browser.
 */
export type RowNumber = (typeof ROW_NUMBERS)[number];
const NOISY = ['totalNs', 'selfNs', 'avgNs', 'p99Ns'] as const;

/** What the page shows of a row of the answer of `ptflame diff`. */
export interface FunctionChange extends Readonly<Record<RowNumber, Pair>> {
  readonly name: string;
  readonly isNew: boolean;
  readonly isGone: boolean;
  readonly withinNoise: Readonly<Record<(typeof NOISY)[number], boolean>>;
}

type WrittenRow = readonly [name: string, flags: string, ...numbers: (number | null)[]];

/** Names are written as frames show them, so that a row finds its frames. */
export function writeRows(rows: readonly FunctionChange[]): string {
  const written = rows.map((row): WrittenRow => {
    const bits = [row.isNew, row.isGone, ...NOISY.map((name) => row.withinNoise[name])];
    const numbers = ROW_NUMBERS.flatMap((name) => [row[name].before, row[name].after]);
    return [visibleText(row.name), bits.map(Number).join(''), ...numbers];
  });
  return jsonForXml(written);
}

export function readRows(text: string): FunctionChange[] {
  return (JSON.parse(text) as WrittenRow[]).map(([name, flags, ...numbers]) => {
    const isSet = (at: number) => flags[at] === '1';
    const pairs = ROW_NUMBERS.map((number, at) => [number, { before: numbers[2 * at], after: numbers[2 * at + 1] }]);
    const withinNoise = Object.fromEntries(NOISY.map((number, at) => [number, isSet(2 + at)]));
    return { name, isNew: isSet(0), isGone: isSet(1), ...Object.fromEntries(pairs), withinNoise } as FunctionChange;
  });
}

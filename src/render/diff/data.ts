/**
 * Serializes the paths of a comparison into a file and reads them back in the browser.
 */
import { columnOf, depthsOf, jsonForXml, numbersOf, parentsOf } from '../svg/data.js';
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

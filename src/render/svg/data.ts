/**
 * Serializes the frames into the file and reads them back in the browser.
 */
import { type NodeColumn, nodeColumns } from '../../model/calls/call-tree.js';
import { NONE } from '../../model/units.js';
import { FAMILIES, type Family } from '../frames/colours.js';
import { type FrameColumns, type FrameTable, frameTable } from '../frames/frame-table.js';
import type { Libraries } from '../frames/libraries.js';
import { visibleText } from '../visible-text.js';

/** Options of the renderer that the browser needs. */
export interface SvgSettings {
  readonly isIcicle: boolean;
  readonly minPx: number;
}

export interface SvgData {
  readonly table: FrameTable;
  readonly settings: SvgSettings;
}

interface WrittenData extends SvgSettings {
  readonly weight: 'ns' | 'calls';
  readonly names: readonly string[];
  readonly families: readonly number[]; // for each name, an index into FAMILIES
  readonly libraries: Libraries; // by name
  /** One number per node. Derived columns are not written: parents follow from depths, totals from self values. */
  readonly columns: Record<NodeColumn | 'depth' | 'symbol' | 'omitted', readonly number[]>;
}

/** Returns JSON without XML special characters, safe in any element. */
export function writeData(frames: FrameColumns, settings: SvgSettings): string {
  const { tree } = frames;
  const { symbol, names, families, libraries } = usedNames(frames);
  const beyondMin = tree.maxNs.map((ns, node) => ns - (tree.minNs[node] as number)); // zero for a single call
  const written: WrittenData = {
    ...settings,
    weight: frames.weight,
    names,
    families: families.map((family) => FAMILIES.indexOf(family)),
    libraries,
    columns: {
      ...nodeColumns((name) => numbersOf(name === 'maxNs' ? beyondMin : tree[name])),
      depth: Array.from(depthsOf(tree.parent)),
      symbol,
      omitted: numbersOf(frames.omitted),
    },
  };
  return jsonForXml(written);
}

/** Writes JSON without XML special characters. */
export function jsonForXml(value: unknown): string {
  return JSON.stringify(value).replace(/[<>&]/g, (character) => `\\u00${character.charCodeAt(0).toString(16)}`);
}

export function readData(text: string): SvgData {
  const { isIcicle, minPx, weight, names, families, libraries, columns } = JSON.parse(text) as WrittenData;
  const { length } = columns.depth;
  const numbers = nodeColumns((name) => columnOf(columns[name], length));
  const tree = {
    length,
    parent: parentsOf(columns.depth),
    symbol: Int32Array.from(columns.symbol),
    ...numbers,
    maxNs: numbers.maxNs.map((ns, node) => ns + numbers.minNs[node]),
  };
  const table = frameTable({
    tree,
    names,
    families: families.map((index) => FAMILIES[index] as Family),
    libraries,
    omitted: columnOf(columns.omitted, length),
    weight,
  });
  return { table, settings: { isIcicle, minPx } };
}

/** Returns the values of a column; empty if all are zero. Infinite values, such as the minimum of no calls, become zero. */
export function numbersOf(column: Float64Array): number[] {
  const numbers = Array.from(column, (value) => (Number.isFinite(value) ? value : 0));
  return numbers.some((value) => value !== 0) ? numbers : [];
}

export function columnOf(numbers: readonly number[], length: number): Float64Array {
  const column = new Float64Array(length);
  column.set(numbers);
  return column;
}

/** Drops unused names and renumbers the others. */
function usedNames({ tree, names, families, libraries }: FrameColumns) {
  const used = new Map<number, number>([[NONE, NONE]]);
  const symbol = Array.from(tree.symbol, (row) => {
    if (!used.has(row)) used.set(row, used.size - 1);
    return used.get(row) as number;
  });
  const rows = [...used.keys()].slice(1);
  return {
    symbol,
    names: rows.map((row) => names[row] as string),
    families: rows.map((row) => families[row] as Family),
    libraries:
      libraries.files.length === 0
        ? libraries
        : { files: libraries.files.map(visibleText), of: rows.map((row) => libraries.of[row] as number) },
  };
}

export function depthsOf(parent: Int32Array): Int32Array {
  const depth = new Int32Array(parent.length);
  for (let node = 1; node < parent.length; node++) depth[node] = depth[parent[node]] + 1;
  return depth;
}

/** In pre-order, the parent of a node is the last node before it with a depth smaller by one. */
export function parentsOf(depth: readonly number[]): Int32Array {
  const lastAt: number[] = [];
  return Int32Array.from(depth, (level, node) => {
    lastAt[level] = node;
    return level === 0 ? NONE : (lastAt[level - 1] as number);
  });
}

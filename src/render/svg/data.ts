/**
 * The frames as text in the file, and back: what the browser zooms, searches and explains from.
 */
import { type NodeColumn, nodeColumns } from '../../model/calls/node-columns.js';
import { NONE } from '../../model/units.js';
import { FAMILIES, type Family } from '../frames/families.js';
import { type FrameColumns, type FrameTable, frameTable } from '../frames/frame-table.js';

/** How the picture was asked for. */
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
  readonly families: readonly number[]; // of names, as places in FAMILIES
  /** One number for each node. What follows from others is not written: parents from depths, totals from selfs. */
  readonly columns: Record<NodeColumn | 'depth' | 'symbol' | 'omitted', readonly number[]>;
}

/** JSON that may stand in any element: it has no character that means something to XML. */
export function writeData(frames: FrameColumns, settings: SvgSettings): string {
  const { tree } = frames;
  const { symbol, names, families } = usedNames(frames);
  const beyondMin = tree.maxNs.map((ns, node) => ns - (tree.minNs[node] as number)); // of one call alone nothing
  const written: WrittenData = {
    ...settings,
    weight: frames.weight,
    names,
    families: families.map((family) => FAMILIES.indexOf(family)),
    columns: {
      ...nodeColumns((name) => numbersOf(name === 'maxNs' ? beyondMin : tree[name])),
      depth: Array.from(depthsOf(tree.parent)),
      symbol,
      omitted: numbersOf(frames.omitted),
    },
  };
  return JSON.stringify(written).replace(/[<>&]/g, (character) => `\\u00${character.charCodeAt(0).toString(16)}`);
}

export function readData(text: string): SvgData {
  const { isIcicle, minPx, weight, names, families, columns } = JSON.parse(text) as WrittenData;
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
    omitted: columnOf(columns.omitted, length),
    weight,
  });
  return { table, settings: { isIcicle, minPx } };
}

/** A column of nothing but zeros is left empty. The minimum of no calls, infinite, is zero here. */
function numbersOf(column: Float64Array): number[] {
  const numbers = Array.from(column, (value) => (Number.isFinite(value) ? value : 0));
  return numbers.some((value) => value !== 0) ? numbers : [];
}

function columnOf(numbers: readonly number[], length: number): Float64Array {
  const column = new Float64Array(length);
  column.set(numbers);
  return column;
}

/** Names that no node has any more are left out; the others are counted anew. */
function usedNames({ tree, names, families }: FrameColumns) {
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
  };
}

function depthsOf(parent: Int32Array): Int32Array {
  const depth = new Int32Array(parent.length);
  for (let node = 1; node < parent.length; node++) depth[node] = depth[parent[node]] + 1;
  return depth;
}

/** In pre-order a parent is the last node before that is one level less deep. */
function parentsOf(depth: readonly number[]): Int32Array {
  const lastAt: number[] = [];
  return Int32Array.from(depth, (level, node) => {
    lastAt[level] = node;
    return level === 0 ? NONE : (lastAt[level - 1] as number);
  });
}

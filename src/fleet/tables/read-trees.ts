/**
 * The table of call paths → a call tree of each command name, host or build: the sum of all recordings.
 */
import { type CallTree, type NodeColumn, nodeColumns, ROOT } from '../../model/calls/call-tree.js';
import type { MergedBy } from '../../model/profile/profile.js';
import { NONE } from '../../model/units.js';
import { type Engine, sqlText } from '../engine.js';
import { UNKNOWN_GROUPS } from '../grouped-profile.js';
import type { Fleet } from '../open-fleet.js';
import { checkCallers, checkKnown, checkRows } from './check-tables.js';
import { HashRows, type HashWords, hashWords } from './hash-rows.js';
import type { FleetSymbols } from './read-symbols.js';

/** Paths of all groups, a row each, in no order. */
interface PathRows {
  readonly paths: HashWords;
  readonly parents: HashWords;
  readonly symbol: Int32Array;
  /** 1: called by no function. */
  readonly depths: Float64Array;
  readonly numbers: Readonly<Record<NodeColumn, Float64Array>>;
}

/**
 * Siblings are in no order, and callers may follow their callees. What has no command name, host or build is grouped by the name of
 * the file that was exported.
 *
 * @throws PtflameError INPUT_UNREADABLE for rows that export cannot have written
 */
export async function readTrees(
  { engine }: Fleet,
  by: MergedBy,
  { symbolsOf }: FleetSymbols,
): Promise<Map<string, CallTree>> {
  await checkRows(engine, 'paths');
  const [names, paths, parents, functions, depths, ...numbers] = (await engine.columns(`
    SELECT
      ${groupName(by)}, p.path, min(coalesce(p.parent, ${ROOT_PATH})), min(p.function),
      CAST(CASE WHEN ${SAME} THEN min(p.depth) ELSE -1 END AS DOUBLE),
      ${Object.values(nodeColumns(sqlOf)).join(', ')}
    FROM paths AS p JOIN recordings AS r ON r.id = p.id GROUP BY 1, 2`)) as [
    string[],
    BigInt64Array,
    BigInt64Array,
    BigInt64Array,
    Float64Array,
    ...Float64Array[],
  ];
  let at = 0;
  const rows: PathRows = {
    paths: hashWords(paths),
    parents: hashWords(parents),
    symbol: symbolsOf(functions),
    depths,
    numbers: nodeColumns(() => numbers[at++] as Float64Array),
  };
  const isUnknown = rows.symbol.some((symbol, row) => symbol === NONE && depths[row] !== 0); // the thread itself is no function
  if (isUnknown) await checkKnown(engine, 'paths');
  const nodeOf = new Int32Array(names.length);
  const trees = new Map<string, CallTree>();
  for (const [name, own] of rowsByName(names)) {
    const tree = treeOf(rows, Int32Array.from(own), nodeOf);
    if (tree === null) throw await damagedPaths(engine);
    trees.set(name, tree);
  }
  return trees;
}

/** The path of a thread itself, and the parent of its first functions. */
const ROOT_PATH = 0;
const ROOT_WORDS: HashWords = new Int32Array(2);

/** In SQL: all recordings agree what a path is. */
const SAME = [`coalesce(p.parent, ${ROOT_PATH})`, 'p.function', 'p.depth']
  .map((column) => `min(${column}) = max(${column})`)
  .join(' AND ');

/** In SQL, of a recording r and, by command name, one of its paths p. */
export function groupName(by: MergedBy): string {
  const unknown = `${sqlText(`${UNKNOWN_GROUPS[by]}: `)} || coalesce(r.input, r.id)`;
  return `coalesce(${by === 'comm' ? 'p' : 'r'}.${by}, ${unknown})`;
}

/** @throws PtflameError INPUT_UNREADABLE that names the file */
export async function damagedPaths(engine: Engine): Promise<Error> {
  await checkCallers(engine);
  return new Error('bug in ptflame: paths form no tree, but each file is right');
}

const SQL_COLUMNS: Readonly<Record<NodeColumn, string>> = {
  calls: 'sum(p.calls)',
  inferredCalls: 'sum(p.inferred_calls)',
  selfNs: 'sum(p.self_ns)',
  inferredNs: 'sum(p.inferred_ns)',
  unwoundCalls: 'sum(p.unwound_calls)',
  completeNs: 'sum(p.complete_ns)',
  longestCutNs: 'max(p.longest_cut_ns)',
  minNs: 'min(p.min_ns)',
  maxNs: 'max(p.max_ns)',
};

/** Of a node without calls that have the value. */
function noneOf(name: NodeColumn): number {
  if (name === 'minNs') return Number.POSITIVE_INFINITY;
  return name === 'maxNs' ? Number.NEGATIVE_INFINITY : 0;
}

function sqlOf(name: NodeColumn): string {
  return `coalesce(CAST(${SQL_COLUMNS[name]} AS DOUBLE), CAST('${noneOf(name)}' AS DOUBLE))`;
}

function rowsByName(names: readonly string[]): Map<string, number[]> {
  const rows = new Map<string, number[]>();
  names.forEach((name, row) => {
    const own = rows.get(name);
    if (own === undefined) rows.set(name, [row]);
    else own.push(row);
  });
  return rows;
}

/** Returns null unless each caller is a row, one call higher up: then there is no circle. */
function treeOf(
  { paths, parents, symbol, depths, numbers }: PathRows,
  own: Int32Array,
  nodeOf: Int32Array,
): CallTree | null {
  const known = new HashRows(paths, own);
  const thread = known.find(ROOT_WORDS, 0); // NONE: threads have no time of their own
  const rows = new Int32Array(own.length + Number(thread === NONE)).fill(thread, ROOT, ROOT + 1);
  let length = ROOT + 1;
  for (const row of own) if (row !== thread) rows[(nodeOf[row] = length++)] = row;
  const parent = new Int32Array(length).fill(NONE);
  for (let node = ROOT + 1; node < length; node++) {
    const row = rows[node];
    const caller = known.find(parents, row);
    if (depths[row] === 1) parent[node] = ROOT;
    else if (caller !== NONE && depths[caller] === depths[row] - 1) parent[node] = nodeOf[caller];
    else return null;
  }
  const column = (name: NodeColumn) => {
    const values = new Float64Array(length);
    for (let node = ROOT; node < length; node++) values[node] = numbers[name][rows[node]];
    if (thread === NONE) values[ROOT] = noneOf(name);
    return values;
  };
  return {
    length,
    parent,
    symbol: rows.map((row, node) => (node === ROOT ? NONE : symbol[row])),
    ...nodeColumns(column),
  };
}

/**
 * Turns the tables of a folder back into a profile: the call trees of all recordings, added up by command name, host or build.
 */

import { type CallTree, type NodeColumn, nodeColumns, ROOT } from '../model/calls/call-tree.js';
import { BUCKETS, bucketOf, type FunctionDurations } from '../model/calls/durations.js';
import { noneOf } from '../model/calls/overlay.js';
import { isOrdered, orderedTree } from '../model/calls/tree-view.js';
import { rowNumbers } from '../model/columns.js';
import { appendTo, groupBy } from '../model/groups.js';
import type { MergedBy, Profile } from '../model/profile/profile.js';
import { noInferences, noLines, type Quality } from '../model/profile/profile.js';
import { SymbolKind, type SymbolTable, SymbolTableBuilder, symbolLines, symbolRanks } from '../model/symbol-table.js';
import { NONE, type SymbolId } from '../model/units.js';
import { type Engine, sqlText } from './engine.js';
import { type Group, groupedProfile, UNKNOWN_GROUPS } from './merge-profiles.js';
import { checkCallers, checkKnown, checkRows, checkTime, type Fleet } from './open-fleet.js';

/** Durations are not known by command name: the tables have them for each recording as a whole. */
export async function mergeTables(fleet: Fleet, by: MergedBy): Promise<Profile> {
  const symbols = await readSymbols(fleet);
  await checkTime(fleet.engine, 'recordings', 'duration_ns');
  const trees = await readTrees(fleet, by, symbols);
  const durations = by === 'comm' ? null : await readDurations(fleet, by, symbols);
  const rank = symbolRanks(symbols.table);
  const groups: Group[] = [];
  for (const [name, unordered] of trees) {
    const tree = orderedTree(unordered, rank);
    if (!isOrdered(tree, rank)) throw await damagedPaths(fleet.engine); // a caller has a function twice
    groups.push({ name, tree, durations: durations?.get(name) ?? null, hiddenNs: 0 });
  }
  const selfNs = groups.reduce((sum, { tree }) => tree.selfNs.reduce((own, ns) => own + ns, sum), 0);
  if (!Number.isSafeInteger(selfNs)) await checkTime(fleet.engine, 'paths', 'self_ns');
  const { meta, quality } = await readRecordings(fleet, groups, symbols.table);
  return groupedProfile(groups, by, symbols.table, meta, () => quality);
}

async function readDurations(
  { engine }: Fleet,
  by: 'host' | 'build',
  { symbolsOf }: FleetSymbols,
): Promise<Map<string, FunctionDurations>> {
  const [names, functions, lows, calls] = (await engine.columns(`
    SELECT ${groupName(by)}, d.function, CAST(d.bucket_low_ns AS DOUBLE), CAST(sum(d.calls) AS DOUBLE)
    FROM durations AS d JOIN recordings AS r ON r.id = d.id
    GROUP BY ALL`)) as [string[], BigInt64Array, Float64Array, Float64Array];
  const symbols = symbolsOf(functions);
  if (symbols.includes(NONE)) await checkKnown(engine, 'durations');
  const groups = new Map<string, DurationRow[]>();
  names.forEach((name, at) => {
    const row = { symbol: symbols[at], bucket: bucketOf(lows[at]), calls: calls[at] };
    appendTo(groups, name, row);
  });
  return new Map([...groups].map(([name, rows]) => [name, durationsOf(rows)]));
}

interface DurationRow {
  readonly symbol: SymbolId;
  readonly bucket: number;
  readonly calls: number;
}

function durationsOf(all: DurationRow[]): FunctionDurations {
  const sums = new Map<number, DurationRow>();
  for (const row of all) {
    const key = row.symbol * BUCKETS + row.bucket;
    sums.set(key, { ...row, calls: row.calls + (sums.get(key)?.calls ?? 0) });
  }
  const rows = [...sums.values()].sort((a, b) => a.symbol - b.symbol || a.bucket - b.bucket);
  return {
    length: rows.length,
    symbol: Int32Array.from(rows, ({ symbol }) => symbol),
    bucket: Int32Array.from(rows, ({ bucket }) => bucket),
    calls: Float64Array.from(rows, ({ calls }) => calls),
  };
}

type Totals = [
  recordings: number,
  events: number,
  lostNs: number,
  durationNs: number,
  hasSwitches: boolean | null,
  gaps: number,
];

async function readRecordings({ engine }: Fleet, groups: readonly Group[], { kind }: SymbolTable) {
  const { rows } = await engine.rows(`
    SELECT
      CAST(count(*) AS DOUBLE), CAST(sum(r.events) AS DOUBLE), CAST(sum(r.lost_ns) AS DOUBLE), CAST(sum(r.duration_ns) AS DOUBLE),
      CASE WHEN min(r.has_switches) = max(r.has_switches) AND count(r.has_switches) = count(*) THEN min(r.has_switches) END,
      (SELECT CAST(coalesce(sum(f.calls), 0) AS DOUBLE) FROM functions AS f WHERE f.kind = 'stop' AND f.name = '[lost]')
    FROM recordings AS r`);
  const [recordings, events, lostNs, durationNs, hasSwitches, gaps] = rows[0] as Totals;
  return {
    meta: { scope: 'user' as const, weight: 'ns' as const, hasSwitches, durationNs, recordings },
    quality: qualityOf({ events, lostNs, gaps }, groups, kind),
  };
}

/** The tables have times, losses and inferred calls, not their causes: all inferred calls count as one kind. */
function qualityOf(
  { events, lostNs, gaps }: { readonly events: number; readonly lostNs: number; readonly gaps: number },
  groups: readonly Group[],
  kind: SymbolTable['kind'],
): Quality {
  const times = { inferredNs: 0, unknownNs: 0, totalNs: 0 };
  const inferredCalls = noInferences();
  for (const { tree } of groups)
    for (let node = 0; node < tree.length; node++) {
      times.totalNs += tree.selfNs[node];
      times.inferredNs += tree.inferredNs[node];
      if (kind[tree.symbol[node]] !== SymbolKind.Synthetic) inferredCalls.OpenAtStart += tree.inferredCalls[node];
      if (kind[tree.symbol[node]] === SymbolKind.Unknown) times.unknownNs += tree.selfNs[node];
    }
  const lost = { cause: 'others', code: null, message: 'losses of the recordings', file: null, gaps, lostNs } as const;
  return {
    ...{ ...noLines(), lines: events, events },
    ...{ firstDamaged: [], brokenInputs: [], unknownFlags: [], unknownFlagLines: 0 },
    ...{ losses: lostNs > 0 || gaps > 0 ? [lost] : [], gaps: [], threadsCut: 0 },
    ...{ inferredCalls, inferredEvents: 0, clockSteps: 0, lostNs, hiddenNs: 0, ...times },
  };
}

// The table of call paths → a call tree of each command name, host or build: the sum of all recordings.

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
async function readTrees({ engine }: Fleet, by: MergedBy, { symbolsOf }: FleetSymbols): Promise<Map<string, CallTree>> {
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
function groupName(by: MergedBy): string {
  const unknown = `${sqlText(`${UNKNOWN_GROUPS[by]}: `)} || coalesce(r.input, r.id)`;
  return `coalesce(${by === 'comm' ? 'p' : 'r'}.${by}, ${unknown})`;
}

/** @throws PtflameError INPUT_UNREADABLE that names the file */
async function damagedPaths(engine: Engine): Promise<Error> {
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

function sqlOf(name: NodeColumn): string {
  return `coalesce(CAST(${SQL_COLUMNS[name]} AS DOUBLE), CAST('${noneOf(name)}' AS DOUBLE))`;
}

function rowsByName(names: readonly string[]): Map<string, number[]> {
  return groupBy(names.keys(), (row) => names[row]);
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

/** The table of functions → symbols, and which of them has which hash. */
interface FleetSymbols {
  readonly table: SymbolTable;
  /** Returns the symbol of each hash of a function; NONE of one that is not in the table, which only a damaged file has. */
  symbolsOf(functions: BigInt64Array): Int32Array;
}

const KINDS: Readonly<Record<string, SymbolKind>> = {
  unknown: SymbolKind.Unknown,
  stop: SymbolKind.Synthetic,
  inlined: SymbolKind.Inlined,
};

async function readSymbols({ engine }: Fleet): Promise<FleetSymbols> {
  const [functions, names, files, kinds, sources, sourceLines] = (await engine.columns(`
    SELECT f.function, min(f.name), min(f.file), min(f.kind), min(f.source_file), min(f.source_line)
    FROM functions AS f GROUP BY f.function ORDER BY f.function`)) as [
    BigInt64Array,
    string[],
    (string | null)[],
    string[],
    (string | null)[],
    (number | null)[],
  ];
  const builder = new SymbolTableBuilder();
  const specials = new Map(builder.build().name.map((name, row) => [name, row]));
  const lines: ({ file: string; line: number } | null)[] = [];
  const symbols = Int32Array.from(names, (name, at): SymbolId => {
    const [file, kind] = [files[at] ?? null, KINDS[kinds[at] as string]];
    const special = file === null && kind !== undefined ? specials.get(name) : undefined;
    const symbol = special ?? builder.intern(name, file, kind ?? SymbolKind.Function);
    const [source, line] = [sources[at] ?? null, sourceLines[at] ?? null];
    if (source !== null && line !== null) lines[symbol] = { file: source, line };
    return symbol;
  });
  const table = builder.build();
  const known = symbolLines(Array.from(table.name, (_, row) => lines[row] ?? null));
  return { table: known ? { ...table, lines: known } : table, symbolsOf: finder(functions, symbols) };
}

function finder(functions: BigInt64Array, symbols: Int32Array): FleetSymbols['symbolsOf'] {
  const known = new HashRows(hashWords(functions), rowNumbers(functions.length));
  return (hashes) => {
    const words = hashWords(hashes);
    return new Int32Array(hashes.length).map((_, at) => {
      const row = known.find(words, at);
      return row === NONE ? NONE : symbols[row];
    });
  };
}

// Hashes of functions or call paths → the rows that have them.

/** 64-bit hashes as two numbers each, which are compared faster than BigInts. */
type HashWords = Int32Array;

function hashWords({ buffer, byteOffset, length }: BigInt64Array): HashWords {
  return new Int32Array(buffer, byteOffset, 2 * length);
}

/** Finds rows by their hash: open addressing; the keys are read from the column of hashes. */
class HashRows {
  private readonly slots: Int32Array;

  /** `rows`: those that can be found; each has a hash of its own. */
  constructor(
    private readonly hashes: HashWords,
    rows: Int32Array,
  ) {
    this.slots = new Int32Array(2 ** Math.ceil(Math.log2(2 * rows.length + 1))).fill(NONE);
    for (const row of rows) this.slots[this.slotOf(hashes, row)] = row;
  }

  /** Returns the row that has the hash of a row of another column; NONE: there is none. */
  find(hashes: HashWords, at: number): number {
    return this.slots[this.slotOf(hashes, at)];
  }

  /** Returns the slot of a hash, or the free one where it would be. */
  private slotOf(hashes: HashWords, at: number): number {
    const [low, high] = [hashes[2 * at], hashes[2 * at + 1]];
    const mask = this.slots.length - 1;
    for (let slot = low & mask; ; slot = (slot + 1) & mask) {
      const row = this.slots[slot];
      if (row === NONE || (this.hashes[2 * row] === low && this.hashes[2 * row + 1] === high)) return slot;
    }
  }
}

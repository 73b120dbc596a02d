/**
 * Turns the tables of a folder back into a profile: the call trees of all recordings, added up by command name, host or build.
 */

import { type CallTree, ROOT } from '../model/calls/call-tree.js';
import { bucketOf, type FunctionDurations } from '../model/calls/durations.js';
import { nodeColumns } from '../model/calls/node-columns.js';
import { SymbolKind, type SymbolTable, SymbolTableBuilder, symbolLines } from '../model/names/symbol-table.js';
import type { Profile } from '../model/profile/profile.js';
import { noInferences, noLines, type Quality } from '../model/profile/quality.js';
import { NONE, type SymbolId } from '../model/units.js';
import { type Group, groupedProfile } from './merge/grouped-profile.js';
import type { Fleet } from './open-fleet.js';

export type MergedBy = 'comm' | 'host' | 'build';

/** Durations are not known by command name: the tables have them for each recording as a whole. */
export async function mergeTables(fleet: Fleet, by: MergedBy): Promise<Profile> {
  const symbols = await readSymbols(fleet);
  const trees = await readTrees(fleet, by, symbols.rowOf);
  const durations = by === 'comm' ? null : await readDurations(fleet, by, symbols.rowOf);
  const groups = [...trees].map(([name, tree]): Group => {
    return { name, tree, durations: durations?.get(name) ?? null, hiddenNs: 0 };
  });
  const { meta, quality } = await readRecordings(fleet, groups, symbols.table);
  return groupedProfile(groups, symbols.table, meta, () => quality);
}

interface Symbols {
  readonly table: SymbolTable;
  /** By the hash of a function. */
  readonly rowOf: ReadonlyMap<bigint, SymbolId>;
}

const KINDS: Readonly<Record<string, SymbolKind>> = {
  unknown: SymbolKind.Unknown,
  stop: SymbolKind.Synthetic,
  inlined: SymbolKind.Inlined,
};

async function readSymbols({ engine }: Fleet): Promise<Symbols> {
  const [functions, names, files, kinds, sources, sourceLines] = (await engine.columns(`
    SELECT f.function, min(f.name), min(f.file), min(f.kind), min(f.source_file), min(f.source_line)
    FROM functions AS f GROUP BY f.function ORDER BY f.function`)) as [
    bigint[],
    string[],
    (string | null)[],
    string[],
    (string | null)[],
    (number | null)[],
  ];
  const builder = new SymbolTableBuilder();
  const specials = new Map(builder.build().name.map((name, row) => [name, row]));
  const rowOf = new Map<bigint, SymbolId>();
  const lines: ({ file: string; line: number } | null)[] = [];
  functions.forEach((hash, at) => {
    const [name, file, kind] = [names[at] as string, files[at] ?? null, KINDS[kinds[at] as string]];
    const special = file === null && kind !== undefined ? specials.get(name) : undefined;
    const row = special ?? builder.intern(name, file, kind ?? SymbolKind.Function);
    rowOf.set(hash, row);
    const [source, line] = [sources[at] ?? null, sourceLines[at] ?? null];
    if (source !== null && line !== null) lines[row] = { file: source, line };
  });
  const table = builder.build();
  const known = symbolLines(Array.from(table.name, (_, row) => lines[row] ?? null));
  return { table: known ? { ...table, lines: known } : table, rowOf };
}

/** In the order of the queried columns. */
const SUMS = 'calls inferred_calls unwound_calls self_ns inferred_ns complete_ns'.split(' ');
const EXTREMES = 'longest_cut_ns min_ns max_ns'.split(' ');
const COLUMN_OF = {
  calls: 0,
  inferredCalls: 1,
  unwoundCalls: 2,
  selfNs: 3,
  inferredNs: 4,
  completeNs: 5,
  longestCutNs: 6,
  minNs: 7,
  maxNs: 8,
} as const;
/** Of a node without calls that have the value. */
const NO_VALUE: Partial<Record<keyof typeof COLUMN_OF, number>> = {
  minNs: Number.POSITIVE_INFINITY,
  maxNs: Number.NEGATIVE_INFINITY,
};

/** Rows of a group are contiguous, callers first; the row of the thread itself has depth 0. */
async function readTrees(
  { engine }: Fleet,
  by: MergedBy,
  rowOf: Symbols['rowOf'],
): Promise<Map<string | null, CallTree>> {
  const numbers = [...SUMS, ...EXTREMES].map((name) => `CAST(p.${name} AS DOUBLE)`);
  const [names, paths, parents, functions, depths, ...columns] = (await engine.columns(`
    SELECT p.${by}, p.path, p.parent, p.function, p.depth, ${numbers.join(', ')}
    FROM paths_by_${by} AS p
    ORDER BY p.${by} NULLS FIRST, p.depth`)) as [
    (string | null)[],
    bigint[],
    (bigint | null)[],
    bigint[],
    number[],
    ...(number | null)[][],
  ];
  const trees = new Map<string | null, CallTree>();
  for (let start = 0, end = 0; start < names.length; start = end) {
    while (end < names.length && names[end] === names[start]) end++;
    trees.set(names[start] as string | null, treeOf(start, end));
  }
  return trees;

  function treeOf(start: number, end: number): CallTree {
    const own = depths[start] === 0 ? 0 : 1; // a root of our own
    const length = end - start + own;
    const nodeOf = new Map<bigint, number>();
    const [parent, symbol] = [new Int32Array(length).fill(ROOT), new Int32Array(length).fill(NONE)];
    parent[ROOT] = NONE;
    for (let node = 1, row = start + 1 - own; node < length; node++, row++) {
      nodeOf.set(paths[row] as bigint, node);
      const caller = parents[row] as bigint | null;
      if (caller !== null) parent[node] = nodeOf.get(caller) ?? ROOT;
      symbol[node] = rowOf.get(functions[row] as bigint) ?? 0;
    }
    const column = (name: keyof typeof COLUMN_OF) => {
      const values = columns[COLUMN_OF[name]] as (number | null)[];
      const none = NO_VALUE[name] ?? 0;
      const filled = new Float64Array(length).fill(none);
      for (let node = own, row = start; node < length; node++, row++) filled[node] = values[row] ?? none;
      return filled;
    };
    return { length, parent, symbol, ...nodeColumns(column) };
  }
}

async function readDurations(
  { engine }: Fleet,
  by: 'host' | 'build',
  rowOf: Symbols['rowOf'],
): Promise<Map<string | null, FunctionDurations>> {
  const [names, functions, lows, calls] = (await engine.columns(`
    SELECT r.${by}, d.function, d.bucket_low_ns, CAST(sum(d.calls) AS DOUBLE)
    FROM durations AS d JOIN recordings AS r ON r.id = d.id
    GROUP BY ALL`)) as [(string | null)[], bigint[], bigint[], number[]];
  const groups = new Map<string | null, DurationRow[]>();
  names.forEach((name, at) => {
    const symbol = rowOf.get(functions[at] as bigint) ?? 0;
    const row = { symbol, bucket: bucketOf(Number(lows[at])), calls: calls[at] as number };
    const rows = groups.get(name);
    if (rows === undefined) groups.set(name, [row]);
    else rows.push(row);
  });
  return new Map([...groups].map(([name, rows]) => [name, durationsOf(rows)]));
}

interface DurationRow {
  readonly symbol: SymbolId;
  readonly bucket: number;
  readonly calls: number;
}

function durationsOf(rows: DurationRow[]): FunctionDurations {
  rows.sort((a, b) => a.symbol - b.symbol || a.bucket - b.bucket);
  return {
    length: rows.length,
    symbol: Int32Array.from(rows, ({ symbol }) => symbol),
    bucket: Int32Array.from(rows, ({ bucket }) => bucket),
    calls: Float64Array.from(rows, ({ calls }) => calls),
  };
}

async function readRecordings({ engine }: Fleet, groups: readonly Group[], { kind }: SymbolTable) {
  const { rows } = await engine.rows(`
    SELECT
      CAST(sum(r.events) AS DOUBLE), CAST(sum(r.lost_ns) AS DOUBLE), CAST(sum(r.duration_ns) AS DOUBLE),
      CASE WHEN min(r.has_switches) = max(r.has_switches) AND count(r.has_switches) = count(*) THEN min(r.has_switches) END,
      (SELECT CAST(coalesce(sum(f.calls), 0) AS DOUBLE) FROM functions AS f WHERE f.kind = 'stop' AND f.name = '[lost]')
    FROM recordings AS r`);
  const [events, lostNs, durationNs, hasSwitches, gaps] = rows[0] as [number, number, number, boolean | null, number];
  return {
    meta: { scope: 'user' as const, weight: 'ns' as const, hasSwitches, recorded: null, durationNs },
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

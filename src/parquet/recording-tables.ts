/**
 * A profile → the Parquet files of one recording in a folder of many: docs/parquet.md.
 */
import { type FunctionSums, functionsOf } from '../analysis/tree/functions.js';
import { isOffCpu } from '../analysis/tree/outside.js';
import { type CallTree, ROOT } from '../model/calls/call-tree.js';
import { bucketStart, type FunctionDurations, mergeDurations } from '../model/calls/durations.js';
import { TreeSum } from '../model/calls/overlay.js';
import { orderedTree, viewOf } from '../model/calls/tree-view.js';
import { rowNumbers } from '../model/columns.js';
import { checkMemory } from '../model/memory.js';
import type { Profile } from '../model/profile/profile.js';
import { compareUtf8, dsoOf, lineOf, SymbolKind, symbolRanks } from '../model/symbol-table.js';
import { NONE, type SymbolId } from '../model/units.js';
import { PTFLAME_VERSION } from '../model/version.js';
import { shellWords } from '../render/visible-text.js';
import { functionHash, functionHashes, pathHashes } from './hashes.js';
import { type Column, constantText, type Table, tableBytes, constantText as text } from './table.js';

/** In the order in which files get their names: a recording counts once it is in the last one. */
export const TABLES = ['paths', 'functions', 'durations', 'recordings'] as const;
type OwnTable = (typeof TABLES)[number];
/** `calls`: on request, made while the recording is replayed. */
export type TableName = OwnTable | 'calls';

/** Returns the bytes of a file for each table. `id`: 64 hex digits. */
export function recordingTables(
  id: string,
  profile: Profile,
  about: About,
): Readonly<Record<OwnTable, () => Iterable<Uint8Array>>> {
  const recording = grouped(id, profile);
  const make = {
    paths: () => pathsTable(recording),
    functions: () => functionsTable(recording),
    durations: () => durationsTable(recording),
    recordings: () => recordingsTable(recording, about),
  };
  const bytes = (name: OwnTable) => () => tableBytes(make[name](), fileAbout(name, id));
  return {
    paths: bytes('paths'),
    functions: bytes('functions'),
    durations: bytes('durations'),
    recordings: bytes('recordings'),
  };
}

/** Returns the metadata that tell our files from others. `id`: null if the file is not one of many. */
export function fileAbout(table: TableName, id: string | null): Record<string, string> {
  return { 'ptflame.schema': String(SCHEMA), 'ptflame.table': table, ...(id !== null && { 'ptflame.id': id }) };
}

/**
 * The table of recordings: one row, which says what was recorded where, and how far its numbers can be trusted.
 *
 * The version of all tables: it changes when columns change their meaning or are gone.
 */
const SCHEMA = 1;

/** What the user says about a recording. */
interface About {
  /** null: not named. */
  readonly build: string | null;
  /** null: unknown. */
  readonly host: string | null;
  /** The name of its file. */
  readonly input: string;
}

function recordingsTable({ id, profile, hasSwitches }: Grouped, { build, host, input }: About): Table {
  const { meta, quality, threads } = profile;
  const { recorded } = meta;
  const count = (name: string, value: number | bigint): Column => ({ name, kind: 'int64', at: () => value });
  const columns: readonly Column[] = [
    idColumn(id),
    text('build', build),
    text('host', host),
    { name: 'started_at', kind: 'time', isOptional: true, at: () => timeOf(recorded?.startedAt ?? null) },
    count('clock_start_ns', meta.originNs + BigInt(Math.round(meta.startNs))),
    count('duration_ns', meta.endNs - meta.startNs),
    { name: 'threads', kind: 'int32', at: () => threads.length },
    text('command', recorded?.command ? shellWords(recorded.command) : null),
    text('kernel', recorded?.kernel ?? null),
    text('cpu', recorded?.cpu ?? null),
    text('perf', recorded?.perf ?? null),
    { ...text('ptflame', PTFLAME_VERSION), isOptional: false },
    count('events', quality.events),
    count('total_ns', quality.totalNs),
    count('lost_ns', quality.lostNs),
    count('inferred_ns', quality.inferredNs),
    { name: 'has_switches', kind: 'flag', at: () => Number(hasSwitches) },
    text('part', meta.part),
    { ...text('input', input), isOptional: false },
    { name: 'schema', kind: 'int32', at: () => SCHEMA },
  ];
  return { name: 'recordings', rows: 1, columns };
}

/** Returns ms since 1970; null for what is no time. */
function timeOf(text: string | null): number | null {
  const ms = text === null ? Number.NaN : Date.parse(text);
  return Number.isNaN(ms) ? null : ms;
}

/** The numbers of a row that every function has, by column. */
const SUMS = {
  calls: 'calls',
  inferred_calls: 'inferred',
  unwound_calls: 'unwound',
  self_ns: 'selfNs',
  total_ns: 'totalNs',
  on_cpu_ns: 'onCpuNs',
  off_cpu_ns: 'offCpuNs',
  outside_ns: 'outsideNs',
  outside_self_ns: 'outsideSelfNs',
  inferred_ns: 'inferredNs',
  complete_ns: 'completeNs',
} as const satisfies Record<string, keyof FunctionSums>;

const EXTREMES = { longest_cut_ns: 'longestCutNs', min_ns: 'minNs', max_ns: 'maxNs' } as const;

/**
 * The tables of functions: their numbers as `ptflame report` has them, by command name, and the durations of their calls.
 */
function functionsTable(recording: Grouped): Table {
  const { groups, profile, hasSwitches } = recording;
  const { symbols } = profile;
  const rank = symbolRanks(symbols);
  const rows = groups.flatMap(({ tree }, group) => {
    const sums = functionsOf(tree, null, hasSwitches).sort((a, b) => rank[a.symbol] - rank[b.symbol]);
    return sums.map((own) => ({ ...own, group }));
  });
  const lineAt = (row: number) => lineOf(symbols, rows[row].symbol);
  const columns: readonly Column[] = [
    ...groupColumns(recording, (row) => rows[row].group),
    ...functionColumns(recording, (row) => rows[row].symbol),
    {
      ...{ name: 'source_file', kind: 'text', isOptional: true, keys: symbols.length },
      keyAt: (row) => (lineAt(row) === null ? NONE : rows[row].symbol),
      ofKey: (symbol) => lineOf(symbols, symbol)?.file as string,
    },
    { name: 'source_line', kind: 'int32', isOptional: true, at: (row) => lineAt(row)?.line ?? null },
    ...Object.entries(SUMS).map(([name, key]): Column => ({ name, kind: 'int64', at: (row) => rows[row][key] })),
    ...Object.entries(EXTREMES).map(([name, key]): Column => {
      return { name, kind: 'int64', isOptional: true, at: (row) => finiteOrNull(rows[row][key]) };
    }),
  ];
  return { name: 'functions', rows: rows.length, columns };
}

const NO_DURATIONS: FunctionDurations = {
  length: 0,
  symbol: new Int32Array(0),
  bucket: new Int32Array(0),
  calls: new Float64Array(0),
};

/** A row for each function and bucket with calls; none if the profile lacks the durations. */
function durationsTable({ id, profile, hashes }: Grouped): Table {
  const { symbols, together, threads } = profile;
  const rank = symbolRanks(symbols);
  const { length, symbol, bucket, calls } =
    (together === null ? mergeDurations(threads) : profile.durations) ?? NO_DURATIONS;
  const order = rowNumbers(length).sort((a, b) => rank[symbol[a]] - rank[symbol[b]] || bucket[a] - bucket[b]);
  const columns: readonly Column[] = [
    idColumn(id),
    {
      ...{ name: 'function', kind: 'int64', keys: symbols.length },
      keyAt: (row) => symbol[order[row]],
      ofKey: (key) => hashes[key],
    },
    { name: 'bucket_low_ns', kind: 'int64', at: (row) => bucketStart(bucket[order[row]]) },
    { name: 'bucket_high_ns', kind: 'int64', at: (row) => bucketStart(bucket[order[row]] + 1) - 1 },
    { name: 'calls', kind: 'int64', at: (row) => calls[order[row]] },
  ];
  return { name: 'durations', rows: length, columns };
}

/**
 * The table of call paths: a row for each path and command name, and one for the time of threads in no known function.
 */
function pathsTable(recording: Grouped): Table {
  const groups = recording.groups.map((group) => ({ ...group, depth: viewOf(group.tree).depth }));
  const rows = rowsOf(recording.groups);
  const { paths, starts } = allPaths(recording);
  const ofNode = <Value>(value: (group: (typeof groups)[number], node: number) => Value) => {
    return (row: number) => value(groups[rows.group[row]], rows.node[row]);
  };
  const parentAt = (row: number) => {
    const parent = groups[rows.group[row]].tree.parent[rows.node[row]];
    return parent > ROOT ? starts[rows.group[row]] + parent : NONE;
  };
  const count = (name: string, key: Count): Column => {
    return { name, kind: 'int64', at: ofNode(({ tree }, node) => tree[key][node]) };
  };
  const extreme = (name: string, key: Count): Column => {
    return { name, kind: 'int64', isOptional: true, at: ofNode(({ tree }, node) => finiteOrNull(tree[key][node])) };
  };
  const columns: readonly Column[] = [
    ...groupColumns(recording, (row) => rows.group[row]),
    { name: 'path', kind: 'int64', at: (row) => paths[starts[rows.group[row]] + rows.node[row]] },
    {
      name: 'parent',
      kind: 'int64',
      isOptional: true,
      keys: paths.length,
      keyAt: parentAt,
      ofKey: (at) => paths[at],
    },
    ...functionColumns(
      recording,
      ofNode(({ tree }, node) => tree.symbol[node]),
    ),
    { name: 'depth', kind: 'int32', at: ofNode(({ depth }, node) => depth[node]) },
    count('calls', 'calls'),
    count('inferred_calls', 'inferredCalls'),
    count('unwound_calls', 'unwoundCalls'),
    count('self_ns', 'selfNs'),
    count('inferred_ns', 'inferredNs'),
    count('complete_ns', 'completeNs'),
    {
      name: 'longest_cut_ns',
      kind: 'int64',
      isOptional: true,
      at: ofNode(({ tree }, node) => tree.longestCutNs[node] || null),
    },
    extreme('min_ns', 'minNs'),
    extreme('max_ns', 'maxNs'),
  ];
  return { name: 'paths', rows: rows.node.length, columns };
}

/** A column of numbers of a tree. */
type Count = { [Key in keyof CallTree]-?: CallTree[Key] extends Float64Array ? Key : never }[keyof CallTree];

/** Returns the numbers of the paths of all nodes, and where those of each group begin. */
function allPaths({ groups, hashes }: Grouped): { readonly paths: BigInt64Array; readonly starts: readonly number[] } {
  const starts: number[] = [];
  let length = 0;
  for (const { tree } of groups) {
    starts.push(length);
    length += tree.length;
  }
  const paths = new BigInt64Array(length);
  groups.forEach(({ tree }, at) => {
    paths.set(pathHashes(tree, hashes), starts[at]);
  });
  return { paths, starts };
}

/** Returns the group and the node of each row. A root without time of its own has none. */
function rowsOf(groups: readonly Group[]): { readonly group: Int32Array; readonly node: Int32Array } {
  const length = groups.reduce((sum, { tree }) => sum + tree.length - firstOf(tree), 0);
  const [group, node] = [new Int32Array(length), new Int32Array(length)];
  let row = 0;
  groups.forEach(({ tree }, at) => {
    for (let own = firstOf(tree); own < tree.length; own++) {
      group[row] = at;
      node[row++] = own;
    }
  });
  return { group, node };
}

function firstOf({ selfNs }: Group['tree']): number {
  return selfNs[ROOT] > 0 ? ROOT : ROOT + 1;
}

// A profile → what the rows of its tables share: the call tree of each command name, and the numbers of its functions.

/** The threads of one command name. */
interface Group {
  /** null: unknown. */
  readonly comm: string | null;
  /** Their sum, in pre-order with siblings by name. */
  readonly tree: CallTree;
}

/** A recording as its tables see it. */
interface Grouped {
  /** 64 hex digits. */
  readonly id: string;
  readonly profile: Profile;
  /** By command name. */
  readonly groups: readonly Group[];
  /** By symbol. */
  readonly hashes: BigInt64Array;
  /** The trace records when threads lost their CPU. */
  readonly hasSwitches: boolean;
}

function grouped(id: string, profile: Profile): Grouped {
  const groups = groupsOf(profile);
  const hasSwitches = profile.meta.hasSwitches ?? groups.some(({ tree }) => tree.symbol.some(isOffCpu));
  return { id, profile, groups, hashes: functionHashes(profile.symbols), hasSwitches };
}

function groupsOf({ together, threads, symbols }: Profile): Group[] {
  if (together !== null) return [{ comm: null, tree: together }];
  const rank = symbolRanks(symbols);
  const sums = new Map<string | null, TreeSum>();
  for (const { comm, tree } of threads) {
    const sum = sums.get(comm) ?? new TreeSum(rank);
    sums.set(comm, sum);
    sum.add(orderedTree(tree, rank));
    checkMemory();
  }
  const comms = [...sums.keys()].sort(
    (a, b) => Number(a !== null) - Number(b !== null) || compareUtf8(a ?? '', b ?? ''),
  );
  return comms.map((comm) => ({ comm, tree: (sums.get(comm) as TreeSum).build() }));
}

/** The name of the root of threads, which is no function. */
const THREAD = '[thread]';

const THREAD_KIND = 4;
const KINDS: Readonly<Record<number, string>> = {
  [SymbolKind.Function]: 'function',
  [SymbolKind.Unknown]: 'unknown',
  [SymbolKind.Synthetic]: 'stop',
  [SymbolKind.Inlined]: 'inlined',
  [THREAD_KIND]: 'thread',
};

/** Returns the columns that say which recording and which command name a row is about. `groupAt`: of a row. */
function groupColumns({ id, groups }: Grouped, groupAt: (row: number) => number): readonly Column[] {
  const keyAt = (row: number) => (groups[groupAt(row)].comm === null ? NONE : groupAt(row));
  const ofKey = (group: number) => groups[group].comm as string;
  return [idColumn(id), { name: 'comm', kind: 'text', isOptional: true, keys: groups.length, keyAt, ofKey }];
}

function idColumn(id: string): Column {
  return { ...constantText('id', id), isOptional: false };
}

/** Returns the columns that say which function a row is about. `symbolAt`: NONE is the root of threads. */
function functionColumns(
  { profile: { symbols }, hashes }: Grouped,
  symbolAt: (row: number) => SymbolId,
): readonly Column[] {
  const { length, name, kind, dso, dsoName } = symbols;
  const root = length;
  const keyAt = (row: number) => (symbolAt(row) === NONE ? root : symbolAt(row));
  const fileAt = (row: number) => (dsoOf(symbols, symbolAt(row)) === null ? NONE : dso[symbolAt(row)]);
  const kindAt = (row: number) => (symbolAt(row) === NONE ? THREAD_KIND : kind[symbolAt(row)]);
  const thread = functionHash(THREAD, null);
  const ofSymbol = { keys: length + 1, keyAt } as const;
  return [
    { name: 'function', kind: 'int64', ...ofSymbol, ofKey: (key) => (key === root ? thread : hashes[key]) },
    { name: 'name', kind: 'text', ...ofSymbol, ofKey: (key) => (key === root ? THREAD : name[key]) },
    {
      name: 'file',
      kind: 'text',
      isOptional: true,
      keys: dsoName.length,
      keyAt: fileAt,
      ofKey: (key) => dsoName[key],
    },
    { name: 'kind', kind: 'text', keys: THREAD_KIND + 1, keyAt: kindAt, ofKey: (key) => KINDS[key] as string },
  ];
}

/** Returns the value of a row; null where no call has one: Infinity, −Infinity or NaN. */
function finiteOrNull(value: number): number | null {
  return Number.isFinite(value) ? value : null;
}

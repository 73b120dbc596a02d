/**
 * Reads a profile file, or throws one error that says what is wrong with it.
 */

import type { z } from 'zod';
import { latin1Text } from '../codec/bytes.js';
import { damagedAt, FileFault, type FileKind, newerVersion, refusal } from '../codec/file-fault.js';
import { type CallTree, NODE_COLUMNS, ROOT } from '../model/calls/call-tree.js';
import { Doubt, NO_DOUBTS, type NodeDoubts } from '../model/calls/doubts.js';
import { BUCKETS, type FunctionDurations } from '../model/calls/durations.js';
import type { Resumptions } from '../model/calls/resumptions.js';
import { siblingsByRank } from '../model/calls/tree-view.js';
import type { PtflameError } from '../model/errors.js';
import type { Profile, Quality, ThreadProfile } from '../model/profile/profile.js';
import { type SymbolKind, type SymbolTable, SymbolTableBuilder } from '../model/symbol-table.js';
import { idleCpu, NONE } from '../model/units.js';
import { FORMAT, KIND_NAMES, TREE_COLUMNS, type TreeColumn, VERSION } from './format.js';
import { type JsonObject, type JsonValue, parseJson } from './json-reader.js';
import { ProfileHead, type QualityPart, type SymbolsPart, ThreadPart } from './schema.js';

/**
 * Parses a profile file; `name` is for messages.
 *
 * @throws PtflameError INPUT_KIND, NEWER_VERSION, PROFILE_DAMAGED or TOO_LARGE
 */
export function parseProfile(bytes: Uint8Array, name: string): Profile {
  try {
    return profileOf(upgraded(parseJson(bytes)));
  } catch (error) {
    throw error instanceof FileFault ? profileRefusal(error, name, bytes) : error;
  }
}

/** Upgrades from each version of the format to the next. */
const UPGRADES: readonly ((file: JsonObject) => JsonObject)[] = [withCallEndings];

/** Version 1 counted unwound calls as inferred ones, and lacks `longestCutNs`: both are unknown, and become 0. */
function withCallEndings(file: JsonObject): JsonObject {
  const { threads } = file;
  if (!Array.isArray(threads)) return file; // the schema will refuse it
  return { ...file, version: 2, threads: threads.map((thread) => withTree(thread)) };
}

function withTree(thread: JsonValue): JsonValue {
  const tree = isObject(thread) ? thread['tree'] : undefined;
  if (!isObject(thread) || !isObject(tree)) return thread;
  const { calls } = tree;
  const length = Array.isArray(calls) || calls instanceof Float64Array ? calls.length : 0;
  const zeros = () => new Float64Array(length);
  return { ...thread, tree: { ...tree, unwoundCalls: zeros(), longestCutNs: zeros() } };
}

function upgraded(file: JsonValue): JsonObject {
  if (!isObject(file) || file['format'] !== FORMAT) throw new FileFault('other-kind', 'it has no format');
  const version = file['version'];
  if (!Number.isInteger(version) || (version as number) < 1)
    throw damagedAt('version', 'is not a version of the format');
  if ((version as number) > VERSION) throw newerVersion(version as number, VERSION, producerOf(file));
  return UPGRADES.slice((version as number) - 1).reduce((older, upgrade) => upgrade(older), file);
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Float64Array);
}

function producerOf({ producer }: JsonObject): JsonValue | undefined {
  return isObject(producer) ? producer['version'] : undefined;
}

function profileOf(file: JsonObject): Profile {
  const { meta, symbols, threads, quality } = checked(ProfileHead, file, '');
  if (meta.startNs > meta.endNs) throw damagedAt('meta.endNs', 'is before its start');
  const table = tableOf(symbols);
  const isPart = meta.part !== undefined;
  const read = threads.map((thread, row) => threadOf(thread, table, `threads[${row}]`, isPart)).map(inOrderOfTids);
  return {
    meta: {
      ...meta,
      originNs: BigInt(meta.originNs),
      hasSwitches: meta.hasSwitches ?? null,
      part: meta.part ?? null,
      recorded: meta.recorded ?? null,
    },
    symbols: table,
    threads: read,
    together: null,
    durations: null,
    quality: withoutRemedies(quality),
  };
}

/** Remedies follow from the rest. */
function withoutRemedies({
  remedies: _,
  losses,
  codeNs,
  mendedHits,
  leftOutCalls,
  ...quality
}: z.infer<typeof QualityPart>): Quality {
  return {
    ...quality,
    ...(codeNs !== undefined && { codeNs }),
    ...(mendedHits !== undefined && { mendedHits }),
    ...(leftOutCalls !== undefined && { leftOutCalls }),
    losses: losses.map(({ remedy: _, ...kind }) => kind),
  };
}

function checked<Schema extends z.ZodType>(schema: Schema, value: unknown, path: string): z.infer<Schema> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  const keys = issue?.path.map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`)) ?? [];
  throw damagedAt(`${path}${keys.join('')}:`.replace(/^\./, ''), issue?.message ?? 'wrong');
}

function tableOf({ name, kind, dso, dsoName, ...where }: z.infer<typeof SymbolsPart>): SymbolTable {
  const { length } = name;
  checkLengths({ name, kind, dso }, 'symbols');
  const table = {
    length,
    name,
    kind: kind.map((name) => KIND_NAMES.indexOf(name) as SymbolKind),
    dso: Array.from(dso),
    dsoName,
    ...linesOf(where, length),
  };
  const wrong = table.dso.findIndex((row) => !(Number.isInteger(row) && row >= NONE && row < dsoName.length));
  if (wrong !== -1) throw damagedAt(`symbols.dso[${wrong}]`, `is not a row of dsoName, which has ${dsoName.length}`);
  checkSpecials(table);
  return table;
}

type LineColumns = Pick<z.infer<typeof SymbolsPart>, 'file' | 'line' | 'fileName'>;

/** The three columns are known together. */
function linesOf({ file, line, fileName }: LineColumns, length: number): Pick<SymbolTable, 'lines'> {
  if (file === undefined && line === undefined && fileName === undefined) return {};
  if (!file || !line || !fileName) throw damagedAt('symbols.file', 'needs line and fileName, and they need it');
  checkLengths({ name: { length }, file, line }, 'symbols');
  const wrong = Array.from(file).findIndex(
    (row, at) =>
      !(Number.isInteger(row) && row >= NONE && row < fileName.length) ||
      !(Number.isInteger(line[at]) && (line[at] as number) >= (row === NONE ? 0 : 1)),
  );
  if (wrong !== -1) throw damagedAt(`symbols.file[${wrong}]`, `is not a row of fileName with a line`);
  return { lines: { file: Array.from(file), line: Array.from(line), fileName } };
}

/** Checks the rows with which every table begins. */
function checkSpecials({ name, kind, dso }: SymbolTable): void {
  const special = new SymbolTableBuilder().build();
  for (let row = 0; row < special.length; row++)
    if (name[row] !== special.name[row] || kind[row] !== special.kind[row] || dso[row] !== special.dso[row])
      throw damagedAt(
        `symbols.name[${row}]`,
        `is not the symbol ${special.name[row]}, which has this row in every profile`,
      );
}

function threadOf(value: unknown, symbols: SymbolTable, path: string, isPart: boolean): ThreadProfile {
  const thread = checked(ThreadPart, value, path);
  const tree = readTree(thread.tree, symbols.length, `${path}.tree`);
  const sumNs = tree.selfNs.reduce((sum, ns) => sum + ns, 0);
  const spanNs = thread.endNs - thread.startNs;
  const isLess = isPart || idleCpu(thread.tid, thread.comm) !== null; // an idle task's halts count nowhere
  const isWrong = isLess ? sumNs - spanNs : Math.abs(sumNs - spanNs);
  if (isWrong > roundingNs(thread))
    throw damagedAt(`${path}.tree.selfNs`, `adds up to ${sumNs} ns, but the thread was observed for ${spanNs} ns`);
  const { durations, resumptions, ...rest } = thread;
  return {
    ...rest,
    tree,
    durations: durations ? readDurations(durations, symbols.length, `${path}.durations`) : null,
    ...(resumptions && { resumptions: readResumptions(resumptions, symbols.length, `${path}.resumptions`) }),
  };
}

/** A garbled time may be larger than what a float64 represents exactly. */
function roundingNs({ startNs, endNs }: ThreadPart): number {
  const largest = Math.max(Math.abs(startNs), Math.abs(endNs));
  return largest > Number.MAX_SAFE_INTEGER ? 1e-9 * largest : 0;
}

function inOrderOfTids(thread: ThreadProfile, row: number, threads: readonly ThreadProfile[]): ThreadProfile {
  const before = threads[row - 1];
  if (before && before.tid >= thread.tid)
    throw damagedAt(
      `threads[${row}].tid`,
      `is ${thread.tid}, after ${before.tid}: threads are sorted by tid, each occurs once`,
    );
  return thread;
}

/**
 * Reads and checks the durations of a thread in a profile.
 *
 * `path`: of the durations in the file; `symbols`: the number of symbols.
 */
function readDurations(part: NonNullable<ThreadPart['durations']>, symbols: number, path: string): FunctionDurations {
  const [symbol, bucket, calls] = [part.symbol, part.bucket, part.calls].map((values) => Float64Array.from(values));
  const { length } = symbol;
  checkLengths({ symbol, bucket, calls }, path);
  for (let row = 0; row < length; row++) {
    if (!isRow(symbol[row], symbols))
      throw damagedAt(`${path}.symbol[${row}]`, `is not a row of the ${symbols} symbols`);
    if (!isRow(bucket[row], BUCKETS)) throw damagedAt(`${path}.bucket[${row}]`, `is not a number below ${BUCKETS}`);
    if (!(Number.isInteger(calls[row]) && calls[row] > 0))
      throw damagedAt(`${path}.calls[${row}]`, 'is not a whole number from 1 on');
    if (row > 0 && BUCKETS * symbol[row - 1] + bucket[row - 1] >= BUCKETS * symbol[row] + bucket[row])
      throw damagedAt(`${path}.symbol[${row}]`, 'is out of order: rows are sorted by symbol, then bucket');
  }
  return { length, symbol: Int32Array.from(symbol), bucket: Int32Array.from(bucket), calls };
}

/** Reads and checks who went on with other stacks. `symbols`: the number of symbols. */
function readResumptions(
  part: NonNullable<ThreadPart['resumptions']>,
  symbols: number,
  path: string,
): Resumptions | undefined {
  const [stack, by, times] = [part.stack, part.by, part.times].map((values) => Array.from(values));
  checkLengths({ stack, by, times }, path);
  for (const [key, column] of Object.entries({ stack, by })) {
    const row = column.findIndex((symbol) => !isRow(symbol, symbols));
    if (row >= 0) throw damagedAt(`${path}.${key}[${row}]`, `is not a row of the ${symbols} symbols`);
  }
  const row = times.findIndex((count) => !(Number.isSafeInteger(count) && count > 0));
  if (row >= 0) throw damagedAt(`${path}.times[${row}]`, 'is not a whole number from 1 on');
  return { stack, by, times };
}

const PROFILE: FileKind = {
  kind: 'profile',
  damaged: 'PROFILE_DAMAGED',
  recreate: 'create it again from the trace: ptflame render TRACE -o FILE.json',
};

/**
 * Turns a fault of a profile into an error for the user. Files that do not begin like a profile are reported as another kind of file.
 *
 * `bytes`: the contents of the file.
 */
function profileRefusal(fault: FileFault, name: string, bytes: Uint8Array): PtflameError {
  const isOther = fault.code === 'other-kind' || !isOurs(bytes);
  return refusal(isOther ? new FileFault('other-kind', kindOf(bytes)) : fault, name, PROFILE);
}

const HEAD_BYTES = 64 * 1024;

function isOurs(bytes: Uint8Array): boolean {
  return headOf(bytes).includes(`"${FORMAT}"`);
}

function headOf(bytes: Uint8Array): string {
  return latin1Text(bytes, 0, HEAD_BYTES);
}

const OTHER_KINDS = [
  { kind: 'a speedscope profile', sign: /"\$schema"\s*:\s*"https:\/\/www\.speedscope\.app/ },
  { kind: 'a Chrome trace', sign: /"traceEvents"\s*:/ },
  { kind: 'a profile of the Firefox profiler', sign: /"preprocessedProfileVersion"\s*:/ },
  { kind: 'the JSON of perf data convert', sign: /"linux-perf-json-version"\s*:/ },
  { kind: 'a V8 CPU profile', sign: /"nodes"\s*:\s*\[\s*\{\s*"id"\s*:/ },
  { kind: 'JSON of some other program', sign: /^\s*[[{]/ },
] as const;

function kindOf(bytes: Uint8Array): string {
  const head = headOf(bytes);
  return OTHER_KINDS.find(({ sign }) => sign.test(head))?.kind ?? 'text of another kind';
}

type Columns = Readonly<Record<TreeColumn, Float64Array>>;

// Reads and checks the call tree of a thread in a profile.

/** `path`: of the tree in the file; `symbols`: the number of symbols. */
function readTree(part: ThreadPart['tree'], symbols: number, path: string): CallTree {
  const columns = columnsOf(part, path);
  checkLinks(columns, symbols, path);
  for (const name of NODE_COLUMNS)
    if (name !== 'minNs' && name !== 'maxNs') checkWhole(columns[name], `${path}.${name}`); // as checkShortestAndLongest
  checkCalls(columns, path);
  checkShortestAndLongest(columns, path);
  const tree: CallTree = {
    ...columns,
    length: columns.parent.length,
    parent: Int32Array.from(columns.parent),
    symbol: Int32Array.from(columns.symbol),
    minNs: columns.minNs.map((ns) => (Number.isNaN(ns) ? Number.POSITIVE_INFINITY : ns)),
    maxNs: columns.maxNs.map((ns) => (Number.isNaN(ns) ? Number.NEGATIVE_INFINITY : ns)),
    doubts: part.doubts
      ? readDoubts(part.doubts, columns, path)
      : columns.inferredNs.some((ns) => ns > 0)
        ? undefined
        : NO_DOUBTS,
  };
  checkSiblings(tree, path);
  return tree;
}

/** Rows are sorted by node, then doubt; those of a node are at most its inferred time. */
function readDoubts(
  part: NonNullable<ThreadPart['tree']['doubts']>,
  { inferredNs }: Columns,
  path: string,
): NodeDoubts {
  const [node, doubt, ns] = [part.node, part.doubt, part.ns].map((values) => Float64Array.from(values));
  checkLengths({ node, doubt, ns }, `${path}.doubts`);
  let restNs = 0;
  for (let row = 0; row < node.length; row++) {
    if (!isRow(node[row], inferredNs.length)) throw damagedAt(`${path}.doubts.node[${row}]`, 'is not a node');
    const isNext = row === 0 || node[row - 1] !== node[row];
    restNs = (isNext ? inferredNs[node[row]] : restNs) - ns[row];
    if (!isRow(doubt[row] - Doubt.Landing, Doubt.Lost - Doubt.HiddenJump))
      throw damagedAt(`${path}.doubts.doubt[${row}]`, 'is not a reason of inferred time');
    if (!(Number.isInteger(ns[row]) && ns[row] > 0 && restNs >= 0))
      throw damagedAt(`${path}.doubts.ns[${row}]`, `is ${ns[row]} of ${inferredNs[node[row]]} ns`);
    if (row > 0 && (isNext ? node[row - 1] > node[row] : doubt[row - 1] >= doubt[row]))
      throw damagedAt(`${path}.doubts.node[${row}]`, 'is out of order: rows are sorted by node, then doubt');
  }
  return { node: Int32Array.from(node), doubt: Uint8Array.from(doubt), ns };
}

/** A null becomes NaN. */
function columnsOf(part: ThreadPart['tree'], path: string): Columns {
  const entries = TREE_COLUMNS.map((name) => [name, columnOf(part[name])] as const);
  const columns = Object.fromEntries(entries) as Columns;
  if (columns.parent.length === 0) throw damagedAt(path, 'has no root');
  checkLengths(columns, path);
  return columns;
}

function columnOf(values: ArrayLike<number | null>): Float64Array {
  return values instanceof Float64Array ? values : Float64Array.from(values, (value) => value ?? Number.NaN);
}

function checkLinks({ parent, symbol }: Columns, symbols: number, path: string): void {
  if (parent[ROOT] !== NONE || symbol[ROOT] !== NONE)
    throw damagedAt(path, `does not begin with a root: its parent and symbol must be ${NONE}`);
  for (let node = 1; node < parent.length; node++) {
    if (!isRow(parent[node], node))
      throw damagedAt(`${path}.parent[${node}]`, `is ${shown(parent[node])}, which is not a node before it`);
    if (!isRow(symbol[node], symbols))
      throw damagedAt(`${path}.symbol[${node}]`, `is ${shown(symbol[node])}, but there are ${symbols} symbols`);
  }
}

function checkWhole(values: Float64Array, path: string): void {
  const row = values.findIndex((value) => !(Number.isInteger(value) && value >= 0));
  if (row !== -1) throw damagedAt(`${path}[${row}]`, `is ${shown(values[row])}, not a whole number from 0 on`);
}

function checkCalls(columns: Columns, path: string): void {
  const { calls, inferredCalls, unwoundCalls, longestCutNs, selfNs, inferredNs } = columns;
  for (let node = 0; node < calls.length; node++) {
    if (inferredCalls[node] > calls[node])
      throw damagedAt(`${path}.inferredCalls[${node}]`, `is ${inferredCalls[node]} of ${calls[node]} calls`);
    const complete = calls[node] - inferredCalls[node];
    if (unwoundCalls[node] > complete)
      throw damagedAt(`${path}.unwoundCalls[${node}]`, `is ${unwoundCalls[node]} of ${complete} complete calls`);
    if (longestCutNs[node] > 0 && inferredCalls[node] === 0)
      throw damagedAt(`${path}.longestCutNs[${node}]`, `is ${longestCutNs[node]}, but no call is inferred`);
    if (inferredNs[node] > selfNs[node])
      throw damagedAt(`${path}.inferredNs[${node}]`, `is ${inferredNs[node]} of ${selfNs[node]} ns`);
  }
}

/** Both are of complete calls: if there are none, both are null. */
function checkShortestAndLongest({ calls, inferredCalls, minNs, maxNs }: Columns, path: string): void {
  for (let node = 0; node < calls.length; node++) {
    const [min, max] = [minNs[node], maxNs[node]];
    const isNothing = Number.isNaN(min) && Number.isNaN(max);
    const isRange = Number.isInteger(min) && Number.isInteger(max) && min >= 0 && min <= max;
    if (calls[node] > inferredCalls[node] ? !isRange : !isNothing)
      throw damagedAt(`${path}.minNs[${node}]`, `to maxNs is ${shown(min)} to ${shown(max)}, which is impossible`);
  }
}

function checkSiblings({ length, parent, symbol }: CallTree, path: string): void {
  const { nextSibling } = siblingsByRank(parent, symbol);
  for (let node = 1; node < length; node++) {
    const next = nextSibling[node];
    if (next !== NONE && symbol[next] === symbol[node])
      throw damagedAt(`${path}.symbol[${next}]`, `is that of node ${node}, which has the same parent`);
  }
}

function shown(value: number): string {
  return Number.isNaN(value) ? 'null' : String(value);
}

// Checks of columns in a profile.

/** Checks that all columns are as long as the first. `path`: of the columns in the file. */
function checkLengths(columns: Readonly<Record<string, ArrayLike<unknown>>>, path: string): void {
  const [[first, { length }] = ['', []], ...rest] = Object.entries(columns);
  for (const [name, { length: rows }] of rest)
    if (rows !== length) throw damagedAt(`${path}.${name}`, `has ${rows} rows, but ${first} has ${length}`);
}

function isRow(value: number, rows: number): boolean {
  return Number.isInteger(value) && value >= 0 && value < rows;
}

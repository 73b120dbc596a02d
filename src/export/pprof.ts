/**
 * Writes a profile for pprof: one sample for each call path of each thread, as a compressed protocol buffer.
 */

import { pipeline, Readable } from 'node:stream';
import { createGzip } from 'node:zlib';
import { PbfWriter } from 'pbf';
import { type CallTree, ROOT } from '../model/calls/call-tree.js';
import { orderedTree } from '../model/calls/tree-view.js';
import { assert } from '../model/errors.js';
import { symbolOrder } from '../model/profile/file-order.js';
import type { Profile, ThreadProfile, TraceMeta } from '../model/profile/profile.js';
import { lineOf, type SymbolTable, symbolRanks } from '../model/symbol-table.js';
import type { NodeId } from '../model/units.js';
import { bytesOfPaths } from '../render/folded.js';
import { visibleText } from '../render/visible-text.js';
import {
  isChunkFull,
  newProtoWriter,
  takeChunk,
  writeBigVarintField,
  writeFields,
  writeTextField,
} from './proto-writer.js';
import { descriptionOf, type Measure, measuresOf, threadName, valuesOfTrees, wallClock } from './shared.js';

/** Yields the file. Each thread of the profile must have its own tree. The same profile gives the same bytes. */
export function renderPprof(profile: Profile): AsyncGenerator<Uint8Array> {
  assert(profile.together === null, 'a profile of threads whose trees are one');
  return gzipped(messageBytes(profile));
}

/** Estimates the size before compression: each sample has its full path. */
export function pprofBytes({ symbols, threads }: Profile): number {
  const idBytes = Int32Array.from(symbols.name, (_, row) => Math.ceil(Math.log2(row + 2) / VARINT_BITS));
  return threads.reduce((sum, { tree }) => sum + bytesOfPaths(tree, idBytes, () => true), 0);
}

/** Bits of a number that a byte of the message has. */
const VARINT_BITS = 7;

/** Yields the message before it is compressed. */
function* messageBytes(profile: Profile): Generator<Uint8Array> {
  const writer = newProtoWriter();
  for (const _ of writeFieldsOf(profile, writer)) if (isChunkFull(writer)) yield takeChunk(writer);
  yield takeChunk(writer);
}

/** Writes a field or a few in each step. */
function* writeFieldsOf(profile: Profile, writer: PbfWriter): Generator<void> {
  const { symbols, threads } = profile;
  const { table, rankOf } = symbolOrder(profile);
  const strings = new StringTable();
  const writeHead = headOf(profile, strings);
  const writeCode = codeOf(table, strings);
  const labels = threads.map((thread) => labelsOf(thread, profile.meta, strings));
  for (const text of strings.texts()) yield writeTextField(ProfileField.StringTable, text, writer);
  yield writeHead(writer);
  yield* writeCode(writer);
  const locationOf = rankOf.map((rank) => rank + 1);
  const valuesOf = valuesOfTrees(profile, measuresOf(profile.meta));
  for (const [at, thread] of threads.entries()) {
    const tree = orderedTree(thread.tree, symbolRanks(symbols));
    yield* writeSamples(tree, locationOf, valuesOf(tree), labels[at] as Uint8Array, writer);
  }
}

/** A million paths take 30 % less time than at the default level, and 5 % more space. */
const LEVEL = 3;
/** The byte of gzip's header that names the operating system; Node writes no time and no name. */
const SYSTEM = 9;
const UNKNOWN_SYSTEM = 255;

/**
 * Compresses chunks of bytes with gzip as they come, in Node's pool of threads.
 *
 * Yields one gzip member, the same on every system.
 */
async function* gzipped(chunks: Iterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const zipped = createGzip({ level: LEVEL });
  pipeline(Readable.from(chunks), zipped, () => {}); // an error of `chunks` is thrown by `zipped`
  let isFirst = true;
  for await (const chunk of zipped) {
    if (isFirst) chunk[SYSTEM] = UNKNOWN_SYSTEM;
    isFirst = false;
    yield chunk;
  }
}

/**
 * What a pprof profile says about itself: the types of its values, when it was recorded, and what is lost or inferred.
 *
 * Interns its texts at once; returns what writes it.
 */
function headOf(profile: Profile, strings: StringTable): (writer: PbfWriter) => void {
  const { meta } = profile;
  const types = measuresOf(meta).map((measure) => internType(measure, strings)); // some tools show the first one as samples
  const shown = strings.intern(meta.weight === 'calls' ? 'calls' : 'wall');
  const comments = descriptionOf(profile).map((text) => strings.intern(text));
  const recordedAt = wallClock(meta)?.(meta.startNs) ?? null;
  return (writer) => {
    for (const type of types) writer.writeMessage(ProfileField.SampleType, writeType, type);
    writer.writeVarintField(ProfileField.DefaultSampleType, shown);
    if (recordedAt !== null) writeBigVarintField(ProfileField.TimeNanos, recordedAt, writer);
    if (meta.weight === 'ns') writer.writeVarintField(ProfileField.DurationNanos, meta.endNs - meta.startNs);
    for (const comment of comments) writer.writeVarintField(ProfileField.Comment, comment);
  };
}

/** Rows of the string table. */
interface InternedType {
  readonly type: number;
  readonly unit: number;
}

function internType({ name, unit }: Measure, strings: StringTable): InternedType {
  return { type: strings.intern(name), unit: strings.intern(unit) };
}

function writeType({ type, unit }: InternedType, writer: PbfWriter): void {
  writer.writeVarintField(ValueTypeField.Type, type);
  writer.writeVarintField(ValueTypeField.Unit, unit);
}

/** Rows of the string table; 0 is the empty text. Ids count from 1, as 0 means none. */
interface Mapping {
  readonly id: number;
  readonly file: number;
  readonly hasLines: boolean;
}

interface Code {
  /** Of the function and of its location: the row of the symbol table, from 1. */
  readonly id: number;
  readonly mapping: number;
  readonly name: number;
  readonly file: number;
  readonly line: number;
}

/**
 * The code in a pprof profile: binaries as mappings; functions, each with one location, because a call tree has functions
 * and no addresses.
 *
 * Interns its texts at once; returns an iterator that writes a message in each step.
 */
function codeOf(symbols: SymbolTable, strings: StringTable): (writer: PbfWriter) => Generator<void> {
  const hasLines = symbols.lines !== undefined;
  const mappings = symbols.dsoName.map((name, row) => ({
    id: row + 1,
    file: strings.intern(visibleText(name)),
    hasLines,
  }));
  const functions = symbols.name.map((_, row) => codeAt(symbols, row, strings));
  return function* (writer) {
    for (const mapping of mappings) yield writer.writeMessage(ProfileField.Mapping, writeMapping, mapping);
    for (const code of functions) yield writer.writeMessage(ProfileField.Function, writeFunction, code);
    for (const code of functions) yield writer.writeMessage(ProfileField.Location, writeLocation, code);
  };
}

function codeAt(symbols: SymbolTable, row: number, strings: StringTable): Code {
  const at = lineOf(symbols, row);
  return {
    id: row + 1,
    mapping: symbols.dso[row] + 1,
    name: strings.intern(visibleText(symbols.name[row] as string)),
    file: at === null ? 0 : strings.intern(visibleText(at.file)),
    line: at?.line ?? 0,
  };
}

/** Has all that pprof would look for in the file, so that it does not open it. */
function writeMapping({ id, file, hasLines }: Mapping, writer: PbfWriter): void {
  writer.writeVarintField(MappingField.Id, id);
  writer.writeVarintField(MappingField.Filename, file);
  writer.writeBooleanField(MappingField.HasFunctions, true);
  writer.writeBooleanField(MappingField.HasFilenames, hasLines);
  writer.writeBooleanField(MappingField.HasLineNumbers, hasLines);
}

/** Without a system name, pprof takes the name as it is: otherwise it would take parameters out of the names of C++. */
function writeFunction({ id, name, file, line }: Code, writer: PbfWriter): void {
  writer.writeVarintField(FunctionField.Id, id);
  writer.writeVarintField(FunctionField.Name, name);
  writer.writeVarintField(FunctionField.Filename, file);
  writer.writeVarintField(FunctionField.StartLine, line);
}

function writeLocation(code: Code, writer: PbfWriter): void {
  writer.writeVarintField(LocationField.Id, code.id);
  writer.writeVarintField(LocationField.MappingId, code.mapping);
  writer.writeMessage(LocationField.Line, writeLine, code);
}

function writeLine({ id, line }: Code, writer: PbfWriter): void {
  writer.writeVarintField(LineField.FunctionId, id);
  writer.writeVarintField(LineField.Line, line);
}

/** What the next sample has; each sample overwrites it. */
interface Sample {
  /** Locations of the path, by depth. */
  readonly path: number[];
  depth: number;
  readonly values: number[];
  readonly labels: Uint8Array;
}

/**
 * The samples of a thread in a pprof profile: one for each call path with calls or time of its own.
 *
 * `tree`: in pre-order; `locationOf`: by symbol; `columns`: the values, by node. Writes a message in each step.
 */
function* writeSamples(
  { length, parent, symbol }: CallTree,
  locationOf: Int32Array,
  columns: readonly Float64Array[],
  labels: Uint8Array,
  writer: PbfWriter,
): Generator<void> {
  const depth = new Int32Array(length);
  const sample: Sample = { path: [], depth: 0, values: columns.map(() => 0), labels };
  for (let node: NodeId = ROOT + 1; node < length; node++) {
    depth[node] = depth[parent[node]] + 1;
    sample.depth = depth[node];
    sample.path[sample.depth - 1] = locationOf[symbol[node]];
    if (setValues(sample.values, columns, node)) yield writer.writeMessage(ProfileField.Sample, writeSample, sample);
  }
}

/** Returns whether there are any. */
function setValues(values: number[], columns: readonly Float64Array[], node: NodeId): boolean {
  let isAny = false;
  for (let at = 0; at < columns.length; at++) {
    values[at] = (columns[at] as Float64Array)[node];
    if (values[at] !== 0) isAny = true;
  }
  return isAny;
}

function writeSample(sample: Sample, writer: PbfWriter): void {
  writer.writeMessage(SampleField.LocationId, writePath, sample);
  writer.writePackedVarint(SampleField.Value, sample.values);
  writeFields(sample.labels, writer);
}

/** The callee is first. */
function writePath({ path, depth }: Sample, writer: PbfWriter): void {
  for (let at = depth - 1; at >= 0; at--) writer.writeVarint(path[at] as number);
}

/** Returns the labels of each sample of a thread, as fields of its message. A group of a merged profile has a name alone. */
function labelsOf(thread: ThreadProfile, { merged }: TraceMeta, strings: StringTable): Uint8Array {
  const { tid, pid, comm } = thread;
  const writer = new PbfWriter();
  const add = (key: string, field: number, value: number) =>
    writer.writeMessage(SampleField.Label, writeLabel, { key: strings.intern(key), field, value });
  if (merged) add(merged.by, LabelField.Str, strings.intern(visibleText(comm ?? '')));
  if (merged) return writer.finish();
  add('thread', LabelField.Str, strings.intern(threadName(thread)));
  if (comm !== null) add('comm', LabelField.Str, strings.intern(visibleText(comm)));
  add('tid', LabelField.Num, tid);
  if (pid !== null) add('pid', LabelField.Num, pid);
  return writer.finish();
}

interface Label {
  readonly key: number;
  readonly field: number;
  readonly value: number;
}

function writeLabel({ key, field, value }: Label, writer: PbfWriter): void {
  writer.writeVarintField(LabelField.Key, key);
  writer.writeVarintField(field, value);
}

/**
 * Numbers the texts of a pprof profile in the order of their first use; the first one is empty, as the format wants.
 */
class StringTable {
  private readonly rows = new Map<string, number>([['', 0]]);

  /** Returns the row of a text. */
  intern(text: string): number {
    const known = this.rows.get(text);
    if (known !== undefined) return known;
    this.rows.set(text, this.rows.size);
    return this.rows.size - 1;
  }

  /** In the order of their rows. */
  texts(): Iterable<string> {
    return this.rows.keys();
  }
}

/** The fields of pprof's messages, as numbered in its proto/profile.proto. */
const ProfileField = {
  SampleType: 1,
  Sample: 2,
  Mapping: 3,
  Location: 4,
  Function: 5,
  StringTable: 6,
  TimeNanos: 9,
  DurationNanos: 10,
  Comment: 13,
  DefaultSampleType: 14,
} as const;

const ValueTypeField = { Type: 1, Unit: 2 } as const;
const SampleField = { LocationId: 1, Value: 2, Label: 3 } as const;
const LabelField = { Key: 1, Str: 2, Num: 3 } as const;
const MappingField = { Id: 1, Filename: 5, HasFunctions: 7, HasFilenames: 8, HasLineNumbers: 9 } as const;
const LocationField = { Id: 1, MappingId: 2, Line: 4 } as const;
const LineField = { FunctionId: 1, Line: 2 } as const;
const FunctionField = { Id: 1, Name: 2, Filename: 4, StartLine: 5 } as const;

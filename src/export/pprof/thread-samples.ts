/**
 * The samples of a thread in a pprof profile: one for each call path with calls or time of its own.
 */
import { PbfWriter } from 'pbf';
import { type CallTree, ROOT } from '../../model/calls/call-tree.js';
import type { ThreadProfile, TraceMeta } from '../../model/profile/profile.js';
import type { NodeId } from '../../model/units.js';
import { visibleText } from '../../render/visible-text.js';
import { writeFields } from '../proto-writer.js';
import { threadName } from '../thread-name.js';
import { LabelField, ProfileField, SampleField } from './fields.js';
import type { StringTable } from './string-table.js';

/** What the next sample has; each sample overwrites it. */
interface Sample {
  /** Locations of the path, by depth. */
  readonly path: number[];
  depth: number;
  readonly values: number[];
  readonly labels: Uint8Array;
}

/** `tree`: in pre-order; `locationOf`: by symbol; `columns`: the values, by node. Writes a message in each step. */
export function* writeSamples(
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
export function labelsOf(thread: ThreadProfile, { merged }: TraceMeta, strings: StringTable): Uint8Array {
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

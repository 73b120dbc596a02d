/**
 * Writes a profile for pprof: one sample for each call path of each thread, as a compressed protocol buffer.
 */
import type { PbfWriter } from 'pbf';
import { orderedTree } from '../../model/calls/node-order.js';
import { assert } from '../../model/errors.js';
import { symbolRanks } from '../../model/names/symbol-order.js';
import { symbolOrder } from '../../model/profile/file-order.js';
import type { Profile } from '../../model/profile/profile.js';
import { bytesOfPaths } from '../../render/folded.js';
import { gzipped } from '../gzip.js';
import { measuresOf, valuesOfTrees } from '../measures.js';
import { isChunkFull, newProtoWriter, takeChunk, writeTextField } from '../proto-writer.js';
import { codeOf } from './code.js';
import { ProfileField } from './fields.js';
import { headOf } from './head.js';
import { StringTable } from './string-table.js';
import { labelsOf, writeSamples } from './thread-samples.js';

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

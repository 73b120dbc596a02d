/**
 * Recordings of `perf record -z`: their records are one stream of zstd, cut anywhere.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { readRecording } from '../../src/perfdata/read-recording.js';
import { profileOfOwn, profileOfPerf } from '../helpers/perf/both-decoders.js';
import { RECORDED_ROOT, recordingPath } from '../helpers/perf/perf.js';
import { fileOf, perfData, record, text, trailer, u16, u32, u64 } from '../helpers/perf/perf-data.js';
import { putTogether, takeApart } from '../helpers/perf/rewrite.js';
import { fixture } from '../helpers/traces/load.js';

const directory = mkdtempSync(join(tmpdir(), 'ptflame-compressed-'));
afterAll(() => rmSync(directory, { recursive: true }));

const COMPRESSED = 81;
const COMPRESSED_2 = 83;
const FEATURE = 27;
const RING_BYTES = 528_384;

/** The head of a frame with windows of 128 KiB, and blocks as they are, or of one byte many times (RFC 8878). */
const FRAME_HEAD = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x38]);
const block = (kind: number, size: number, bytes: Buffer) =>
  Buffer.concat([u32((size << 3) | (kind << 1)).subarray(0, 3), bytes]);
const asIs = (bytes: Buffer) => block(0, bytes.length, bytes);
const repeated = (byte: number, size: number) => block(1, size, Buffer.from([byte]));

/** Cuts a stream into compressed records; blocks are larger than some of them. */
function compressedRecords(stream: Buffer, cutBytes: number, type: number): Buffer[] {
  const records: Buffer[] = [];
  for (let at = 0; at < stream.length; at += cutBytes) {
    const piece = stream.subarray(at, at + cutBytes);
    const padding = Buffer.alloc(-piece.length & 7);
    records.push(type === COMPRESSED ? record(type, 0, piece) : record(type, 0, u64(piece.length), piece, padding));
  }
  return records;
}

/** Compresses the kernel's records of a recording as perf does, in order, without those of perf itself and the trace. */
function compressed(name: string, type = COMPRESSED, cutBytes = 1001): Buffer {
  const { head, records, features } = takeApart(readFileSync(recordingPath(name)));
  const isKernel = (raw: { readonly type: number }) => raw.type < 64;
  const bytes = Buffer.concat(records.filter(isKernel).map(({ bytes }) => bytes));
  const blocks: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += 777) blocks.push(asIs(bytes.subarray(at, at + 777)));
  const pieces = compressedRecords(Buffer.concat([FRAME_HEAD, ...blocks]), cutBytes, type);
  const first = records.findIndex(isKernel);
  const others = records.filter((raw) => !isKernel(raw));
  const raw = pieces.map((bytes) => ({ type, bytes, trace: Buffer.alloc(0) }));
  const feature = Buffer.concat([u32(1), u32(1), u32(1), u32(5), u32(RING_BYTES)]); // version, zstd, level, ratio
  const all = new Map([...features, [FEATURE, feature] as const].sort(([a], [b]) => a - b));
  const withBit = Buffer.from(head);
  withBit[72 + (FEATURE >> 3)] |= 1 << (FEATURE & 7);
  return putTogether({ head: withBit, records: others.toSpliced(first, 0, ...raw), features: all });
}

describe('a recording of perf record -z', () => {
  test('has the same records as one without', async () => {
    const whole = await readRecording(fileOf(readFileSync(recordingPath('cpus-2'))));
    for (const type of [COMPRESSED, COMPRESSED_2])
      for (const cutBytes of [64, 1001, 60_000]) {
        const found = await readRecording(fileOf(compressed('cpus-2', type, cutBytes)));
        for (const part of ['sideband', 'auxRecords', 'bounds', 'losses', 'samples', 'damage'] as const)
          expect(found[part]).toEqual(whole[part]);
      }
  });

  test('decodes to the same profile, by both decoders', async () => {
    const path = join(directory, 'compressed.data');
    writeFileSync(path, compressed('cpus-2'));
    const own = await profileOfOwn(path, RECORDED_ROOT, false);
    expect(own).toBe(await profileOfPerf(path, RECORDED_ROOT, false));
    expect(own).toBe(await profileOfOwn(recordingPath('cpus-2'), RECORDED_ROOT, false));
  });

  test('that was written by perf has its samples', async () => {
    const { samples } = await readRecording(fileOf(fixture('perfdata/compressed.data')));
    expect(samples.others).toEqual([{ event: 'cpu-clock', samples: expect.any(Number) }]);
  });
});

describe('damaged compressed records', () => {
  const comm = record(3, 0, u32(7), u32(7), text('name'), trailer({ ns: 1 }));
  const read = async (...pieces: Buffer[]) => {
    const stream = compressedRecords(Buffer.concat(pieces), 1000, COMPRESSED);
    return readRecording(fileOf(perfData({ records: stream })));
  };
  const head = (type: number, size: number) => Buffer.concat([u32(type), u16(0), u16(size)]);

  test.each<[string, Buffer[], RegExp]>([
    [
      'another format',
      [FRAME_HEAD, asIs(comm), asIs(record(200, 0, Buffer.alloc(1500))), Buffer.from('damaged'.repeat(200))],
      /damaged after/,
    ],
    ['cut in a record', [FRAME_HEAD, asIs(comm), asIs(comm.subarray(0, 20))], /truncated/],
    ['a record without a size', [FRAME_HEAD, asIs(comm), asIs(head(3, 0)), asIs(comm)], /has no size/],
  ])('%s: what comes before is kept', async (_, pieces, damage) => {
    const { sideband, damage: found } = await read(...pieces);
    expect(sideband).toHaveLength(1);
    expect(found.join('\n')).toMatch(damage);
  });

  test('what inflates without measure is not read to its end', async () => {
    const bomb = Array.from({ length: 20_000 }, () => repeated(8, 131_072)); // 2.6 GB in 80 KB, in records of 2056 bytes
    const { damage } = await read(FRAME_HEAD, asIs(comm), ...bomb);
    expect(damage.join('\n')).toMatch(/more than 256 times their size/);
  });

  test('none of perf itself is read from them', async () => {
    const { buffers, damage } = await read(
      FRAME_HEAD,
      asIs(record(71, 0, u64(1e9), ...Array(5).fill(u64(0)))),
      asIs(comm),
    );
    expect([buffers, damage]).toEqual([[], []]);
  });
});

/**
 * Truncated and garbled recordings, and other files, are read up to the damage, or refused, and quickly.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type ErrorCode, PtflameError } from '../../src/index.js';
import { readRecording } from '../../src/perfdata/read-recording.js';
import type { Recording } from '../../src/perfdata/recording.js';
import { auxtrace, fileOf, perfData, record, text, trailer, u32, u64 } from '../helpers/perf/perf-data.js';
import { fixture } from '../helpers/traces/load.js';

const WHOLE = fixture('perfdata/truncated.data');
const comm = (name: string) => record(3, 0, u32(7), u32(7), text(name), trailer({ ns: 1 }));

/** Returns the recording, or null if it is refused; throws all other errors. */
async function readOrRefuse(bytes: Uint8Array): Promise<Recording | null> {
  try {
    return await readRecording(fileOf(bytes));
  } catch (error) {
    if (error instanceof PtflameError) return null;
    throw error;
  }
}

async function refusal(bytes: Uint8Array): Promise<ErrorCode | null> {
  try {
    await readRecording(fileOf(bytes));
    return null;
  } catch (error) {
    expect((error as PtflameError).hint).not.toBe('');
    return (error as PtflameError).code;
  }
}

function patched(bytes: Buffer, at: number, ...values: readonly Buffer[]): Buffer {
  const copy = Buffer.from(bytes);
  Buffer.concat(values).copy(copy, at);
  return copy;
}

describe('refuses', () => {
  test.each<[string, Buffer, ErrorCode]>([
    ['an empty file', Buffer.alloc(0), 'RECORDING_DAMAGED'],
    ['text', Buffer.from('7 [000] 1.000000000: call 1 a+0x0 => 2 b+0x0\n'), 'INPUT_KIND'],
    ['a recording of a big-endian machine', patched(WHOLE, 0, Buffer.from('2ELIFREP')), 'RECORDING_FOREIGN'],
    ['the first format', patched(WHOLE, 0, Buffer.from('PERFFILE')), 'RECORDING_FOREIGN'],
    ['a recording through a pipe', Buffer.concat([Buffer.from('PERFILE2'), u64(16), record(68, 0)]), 'RECORDING_PIPED'],
    ['the shortest recording through a pipe', Buffer.concat([Buffer.from('PERFILE2'), u64(16)]), 'RECORDING_PIPED'],
    ['a magic and nothing else', Buffer.from('PERFILE2'), 'RECORDING_DAMAGED'],
    ['a header of another size', patched(WHOLE, 8, u64(105)), 'RECORDING_DAMAGED'],
    ['data within the header', patched(WHOLE, 40, u64(0)), 'RECORDING_DAMAGED'],
    ['event attributes after the end', patched(WHOLE, 24, u64(2 ** 40)), 'RECORDING_DAMAGED'],
    ['event attributes without an end', patched(WHOLE, 32, u64(2n ** 63n)), 'RECORDING_DAMAGED'],
    ['no events', patched(WHOLE, 32, u64(0)), 'RECORDING_DAMAGED'],
    ['ids that all events share', sharedIds(), 'RECORDING_DAMAGED'],
    ['event attributes of size 0', patched(WHOLE, 16, u64(0)), 'RECORDING_DAMAGED'],
  ])('%s', async (_, bytes, code) => expect(await refusal(bytes)).toBe(code));
});

describe('reports as damage', () => {
  const damageOf = async (bytes: Buffer) => (await readRecording(fileOf(bytes))).damage.join('\n');

  test('nothing in an intact file', async () => expect(await damageOf(WHOLE)).toBe(''));

  test('a truncated file, and reads what is there', async () => {
    const cut = WHOLE.subarray(0, 8000);
    const { damage, sideband, buffers } = await readRecording(fileOf(cut));
    expect(damage[0]).toMatch(
      /^the file is truncated: its data ends at byte \d+, but it has 8000 bytes; perf may crash on it$/,
    );
    expect(damage.join('\n')).toMatch(/host, command, names of events/);
    expect(damage.join('\n')).toMatch(/the trace buffer at byte 4896 is truncated: 1752 bytes are missing/);
    expect(sideband).toHaveLength(54); // 46 that perf script prints, and 8 starts of tracing
    expect(buffers.map(({ fileOffset, sizeBytes }) => fileOffset + sizeBytes)).toEqual([8000]);
  });

  test('a killed recording, and reads its records, but no features', async () => {
    const killed = patched(WHOLE, 48, u64(0)).subarray(0, featureTable(WHOLE));
    const { damage, sideband, machine, buffers } = await readRecording(fileOf(killed));
    expect(damage).toEqual([expect.stringMatching(/did not end properly/)]);
    expect(sideband).toHaveLength(54); // 46 that perf script prints, and 8 starts of tracing
    expect(buffers).toHaveLength(2);
    expect(machine.hostName).toBeNull();
  });

  test('a record of size 0, and reads what comes before', async () => {
    const records = [comm('a'), Buffer.alloc(8), comm('b')];
    const { damage, sideband } = await readRecording(fileOf(perfData({ records })));
    expect(damage).toEqual([expect.stringMatching(/^the record at byte 304 has a size of 0: .*ignored$/)]);
    expect(sideband).toHaveLength(1);
  });

  test('a record that exceeds the data', async () => {
    const records = [comm('a'), record(3, 0, Buffer.alloc(8)).fill(255, 6, 8)];
    expect(await damageOf(perfData({ records }))).toMatch(/^the last record, at byte 304, is truncated$/);
  });

  test('a record that extends into the features', async () => {
    const last = comm('b').fill(64, 6, 7); // it has 56 bytes
    const { damage, sideband } = await readRecording(
      fileOf(perfData({ records: [comm('a'), last], features: { 3: Buffer.alloc(64) } })),
    );
    expect(damage).toEqual(['the last record, at byte 304, is truncated']);
    expect(sideband).toHaveLength(1);
  });

  test('a feature larger than memory, in a file that claims to be that large', async () => {
    const bytes = patched(WHOLE, featureTable(WHOLE) + 8, u64(2 ** 49));
    expect((await readRecording(fileOf(bytes, 2 ** 50))).damage.join()).toMatch(/damaged: HostName/);
  });

  test('a trace buffer that exceeds the data', async () => {
    const records = [auxtrace(64).fill(255, 8, 13)];
    const { damage, buffers } = await readRecording(fileOf(perfData({ records })));
    expect(damage[0]).toMatch(/^the trace buffer at byte 248 is truncated/);
    expect(buffers[0]?.sizeBytes).toBe(64);
  });

  test('a record too short for its type', async () => {
    const records = [record(11, 0, u64(1), trailer()), comm('a')];
    const { damage, sideband, auxRecords } = await readRecording(fileOf(perfData({ records })));
    expect(damage).toEqual(['the record of type 11 at byte 248 has only 48 bytes, and is ignored']);
    expect([sideband.length, auxRecords.length]).toEqual([1, 0]);
  });

  test('many faults by their number', async () => {
    const records = Array.from({ length: 1000 }, () => record(11, 0));
    const { damage } = await readRecording(fileOf(perfData({ records })));
    expect(damage).toHaveLength(21);
    expect(damage[20]).toBe('and 980 more faults like these');
  });

  test.each([
    ['a feature after the end', (bytes: Buffer) => patched(bytes, featureTable(bytes), u64(2 ** 40))],
    ['a feature of impossible size', (bytes: Buffer) => patched(bytes, featureTable(bytes) + 8, u64(2n ** 62n))],
    ['a text longer than its feature', (bytes: Buffer) => patched(bytes, firstPart(bytes), u32(2 ** 31))],
  ])('%s', async (_, harm) => {
    const { damage, machine } = await readRecording(fileOf(harm(WHOLE)));
    expect(damage).toEqual(['a part after the records is truncated or damaged: HostName']);
    expect(machine).toMatchObject({ hostName: null, architecture: 'x86_64' });
  });

  test('a wrong index of trace buffers', async () => {
    const records = [auxtrace(8), auxtrace(8)];
    const list = (...offsets: number[]) =>
      perfData({
        records,
        features: { 18: Buffer.concat([u64(offsets.length), ...offsets.flatMap((at) => [u64(at), u64(48)])]) },
      });
    expect(await damageOf(list(248, 304))).toBe('');
    expect(await damageOf(list(248, 312))).toMatch(/index of trace buffers/);
    expect(await damageOf(list(248))).toMatch(/it lists 1, but there are 2/);
  });

  test('an endless index of trace buffers', async () => {
    expect(await damageOf(perfData({ features: { 18: u64(2n ** 60n) } }))).toMatch(/damaged: Auxtrace/);
  });
});

/** Two events, each of which claims the same half of the file and more. */
function sharedIds(): Buffer {
  const bytes = perfData({ attributes: [{}, {}], records: [record(1000, 0, Buffer.alloc(2000))] });
  for (const at of [232, 376]) Buffer.concat([u64(104), u64(1600)]).copy(bytes, at);
  return bytes;
}

function featureTable(bytes: Buffer): number {
  return Number(bytes.readBigUInt64LE(40) + bytes.readBigUInt64LE(48));
}

function firstPart(bytes: Buffer): number {
  return Number(bytes.readBigUInt64LE(featureTable(bytes)));
}

describe('never hangs or crashes', () => {
  test('wherever the file is truncated', async () => {
    for (let length = 0; length < WHOLE.length; length += length < 700 ? 1 : 37) {
      const recording = await readOrRefuse(WHOLE.subarray(0, length));
      if (recording !== null) expect(recording.damage).not.toEqual([]);
    }
  });

  const names = ['truncated', 'no-trace', 'build-ids-of-mappings'];
  const flips = fc.array(fc.tuple(fc.nat(), fc.oneof(fc.nat(255), fc.constantFrom(0, 255, 128))), {
    minLength: 1,
    maxLength: 8,
  });

  test('whichever bytes are flipped, in the header and elsewhere', async () => {
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...names), flips, fc.boolean(), async (name, changes, inHeader) => {
        const bytes = Buffer.from(fixture(`perfdata/${name}.data`));
        for (const [at, byte] of changes) bytes[at % (inHeader ? 700 : bytes.length)] = byte;
        const recording = await readOrRefuse(bytes);
        const ends = recording?.buffers.map(({ fileOffset, sizeBytes }) => fileOffset + sizeBytes) ?? [];
        expect(Math.max(0, ...ends)).toBeLessThanOrEqual(bytes.length);
      }),
      { numRuns: 400 },
    );
  });

  test('if the file shrinks while it is read', async () => {
    const recording = await readRecording(fileOf(WHOLE.subarray(0, 6000), WHOLE.length));
    expect(recording.damage.join('\n')).toMatch(/truncated|missing/);
  });
});

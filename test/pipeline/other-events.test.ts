/**
 * Samples of other events in a recording, such as cycles: counted and named, whichever decoder reads it.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { analyze } from '../../src/pipeline/analyze.js';
import { openTraceFile } from '../../src/pipeline/open-text.js';
import { parseProfile } from '../../src/profile-file/read.js';
import { renderJson } from '../../src/profile-file/write.js';
import { qualitySummary } from '../../src/render/quality-summary.js';
import { ALONE, imported, stored } from '../helpers/checks/files/trace-file.js';
import { profileOfOwn, profileOfPerf } from '../helpers/perf/both-decoders.js';
import { RECORDED_ROOT, recordingPath, textOfPerf } from '../helpers/perf/perf.js';
import { putTogether, takeApart } from '../helpers/perf/rewrite.js';

const directory = mkdtempSync(join(tmpdir(), 'ptflame-other-events-'));
afterAll(() => rmSync(directory, { recursive: true }));

const ATTRIBUTES_AT = 24;
const SAMPLE = 9;
const CALLCHAIN = 1 << 5;
/** Identifier, address, pid, tid, time, CPU, period. */
const SAMPLE_TYPE = 0x10187;

/** Turns the tracepoints of a recording into cycles, page faults, and instructions with call chains. */
function withOtherEvents(): string {
  const recording = takeApart(readFileSync(recordingPath('tracepoints')));
  const head = Buffer.from(recording.head);
  const start = Number(head.readBigUInt64LE(ATTRIBUTES_AT));
  const entryBytes = Number(head.readBigUInt64LE(16));
  const chains = new Set<bigint>();
  for (const [row, type, config] of [
    [2, 0, 0],
    [3, 1, 2],
    [4, 0, 1],
  ] as const) {
    const at = start + row * entryBytes;
    head.writeUInt32LE(type, at);
    head.writeBigUInt64LE(BigInt(config), at + 8);
    head.writeBigUInt64LE(BigInt(SAMPLE_TYPE | (row === 4 ? CALLCHAIN : 0)), at + 24);
    if (row === 4) chains.add(head.readBigUInt64LE(Number(head.readBigUInt64LE(at + entryBytes - 16))));
  }
  const records = recording.records.map((raw) => {
    if (raw.type !== SAMPLE) return raw;
    const bytes = Buffer.from(raw.bytes);
    bytes.writeUInt16LE(2, 4); // in user space
    const ip = 0x4017a6n;
    bytes.writeBigUInt64LE(ip, 16);
    if (chains.has(bytes.readBigUInt64LE(8))) {
      const chain = [3n, 0xfffffffffffffe00n, ip, ip - 1n]; // frames of the user
      for (const [at, word] of chain.entries()) bytes.writeBigUInt64LE(word, 56 + 8 * at);
    }
    return { ...raw, bytes };
  });
  const path = join(directory, 'other-events.data');
  const features = new Map([...recording.features].filter(([bit]) => bit !== 1 && bit !== 12)); // names and formats
  writeFileSync(path, putTogether({ head, records, features }));
  return path;
}

test('both decoders count and name them', async () => {
  const path = withOtherEvents();
  const own = await profileOfOwn(path, RECORDED_ROOT, false);
  const { quality } = parseProfile(Buffer.from(own), 'own');
  expect(quality).toMatchObject({
    damagedLines: 0,
    otherSamples: [
      { event: 'cycles', samples: 2 },
      { event: 'instructions', samples: 1 },
    ],
  });
  expect(own).toBe(await profileOfPerf(path, RECORDED_ROOT, false));
});

test('text has them without names, and an imported trace keeps them', async () => {
  const text = join(directory, 'trace.txt');
  writeFileSync(text, textOfPerf(withOtherEvents()));
  const profile = await analyze([await openTraceFile(text)], ALONE);
  expect(profile.quality).toMatchObject({ damagedLines: 0, otherSamples: [{ event: null, samples: 3 }] });
  expect(qualitySummary(profile).notes).toContain('3 samples of other events (without a name): not used');
  expect(parseProfile(Buffer.from([...renderJson(profile)].join('')), 'json').quality).toEqual(profile.quality);
  const file = await imported([await openTraceFile(text)]);
  expect((await analyze([stored(file)], ALONE)).quality).toEqual(profile.quality);
});

/**
 * Cuts the trace of recordings into parts of any size: whoever decodes them, events, errors and numbers of sites stay the same.
 */

import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { assert, describe, expect } from 'vitest';
import type { EncodedRecording } from '../../src/pipeline/decode/encoded-recording.js';
import { test } from '../helpers/cli/run-cli.js';
import { type Packet, splitPackets } from '../helpers/kinds/split-packets.js';
import { encodedOf } from '../helpers/perf/both-decoders.js';
import { type Cutting, decodedInParts, WHOLE } from '../helpers/perf/in-parts.js';
import { RECORDED_ROOT, RECORDINGS, recordingPath } from '../helpers/perf/perf.js';
import { putTogether, takeApart } from '../helpers/perf/rewrite.js';
import { times } from '../helpers/random/times.js';

const RUNS = times(2);

const cuttings: fc.Arbitrary<Cutting> = fc.record({
  partBytes: fc.integer({ min: 60, max: 20_000 }),
  decoders: fc.integer({ min: 1, max: 16 }),
  choices: fc.array(fc.nat(1000), { minLength: 1, maxLength: 20 }),
  maxParts: fc.integer({ min: 1, max: 18 }),
});
/** What a decoder may find before it stops, and keep before it is dropped. */
const limits = fc.record({
  eventBytes: fc.integer({ min: 500, max: 200_000 }),
  codeBytes: fc.integer({ min: 1_500_000, max: 9_000_000 }),
});

async function expectSameInParts(encoded: EncodedRecording): Promise<void> {
  const { handOvers: __, ...whole } = await decodedInParts(encoded, WHOLE);
  await fc.assert(
    fc.asyncProperty(cuttings, limits, async (cutting, limit) => {
      const { handOvers: _, ...inParts } = await decodedInParts({ ...encoded, ...limit }, cutting);
      expect(inParts).toEqual(whole);
    }),
    { numRuns: RUNS },
  );
}

describe.each(RECORDINGS)('%s', (name) => {
  test.each([
    ['calls and returns', false],
    ['jumps between functions, too', 'leaving'],
    ['every branch', true],
  ] as const)('has the same events in parts: %s', async (_, allBranches) => {
    const encoded = await encodedOf(recordingPath(name), RECORDED_ROOT, allBranches);
    await expectSameInParts(encoded);
  });
});

/** Replaces packets by padding. */
function without(isLeftOut: (packet: Packet, row: number) => boolean) {
  return (trace: Buffer): Buffer =>
    Buffer.concat(
      splitPackets(trace).map((packet, row) =>
        isLeftOut(packet, row) ? Buffer.alloc(packet.bytes.length) : packet.bytes,
      ),
    );
}

/** Leaves out two of three PSB+, with all packets in them. */
function withFewPsbs(trace: Buffer): Buffer {
  let psbs = 0;
  let isIn = false;
  return without(({ kind }) => {
    if (kind === 'psb') isIn = psbs++ % 3 !== 1;
    const isLeftOut = isIn;
    if (kind === 'psbend') isIn = false;
    return isLeftOut;
  })(trace);
}

function damaged(trace: Buffer): Buffer {
  return Buffer.from(trace.map((byte, at) => (at % 331 === 200 ? byte ^ (1 << (at % 8)) : byte)));
}

/** More nanoseconds than a double counts. */
function withLateTimes(trace: Buffer): Buffer {
  const late = (tsc: Buffer) => Buffer.from(tsc.map((byte, at) => (at === tsc.length - 1 ? 0xf0 : byte)));
  return Buffer.concat(splitPackets(trace).map(({ kind, bytes }) => (kind === 'tsc' ? late(bytes) : bytes)));
}

const MTC = 1n << 9n;

describe.each([
  ['without cycles', without(({ kind }) => kind === 'cyc'), true],
  ['with few cycles', without(({ kind }, row) => kind === 'cyc' && row % 5 > 0), true],
  ['without MTC packets', without(({ kind }) => kind === 'mtc'), false],
  ['with times in PSB+ alone', without(({ kind }) => kind === 'mtc' || kind === 'cyc'), false],
  ['with few PSBs', withFewPsbs, true],
  ['with damaged bytes', damaged, true],
  ['with times of years', withLateTimes, true],
])('a recording %s', (_, change, hasMtc) => {
  test.for(['cpus-2', 'noise', 'lossy'])('has the same events in parts: %s', async (name, { dir }) => {
    const recording = takeApart(readFileSync(recordingPath(name)));
    const records = recording.records.map((record) =>
      record.trace.length > 0 ? { ...record, trace: change(record.trace) } : record,
    );
    const path = await dir.write('changed.data', putTogether({ ...recording, records }));
    const encoded = await encodedOf(path, RECORDED_ROOT, false);
    const { encoding } = encoded.recording;
    assert(encoding);
    const config = hasMtc ? encoding.config : encoding.config & ~MTC;
    await expectSameInParts({ ...encoded, recording: { ...encoded.recording, encoding: { ...encoding, config } } });
  });
});

/** Its code runs before it is mapped, as only damaged traces have it: what a decoder met later must not help it earlier. */
test.each([0.15, 0.2, 0.25, 0.3])(
  'a recording whose code is mapped late has the same events in parts: at %s',
  async (part) => {
    const encoded = await encodedOf(recordingPath('lossy'), RECORDED_ROOT, false);
    const { sideband } = encoded.recording;
    const others = sideband.filter(({ record }) => record.what !== 'mmap');
    const row = Math.floor(others.length * part);
    const time = others[row]?.time ?? null;
    const mapped = sideband.flatMap((event) => (event.record.what === 'mmap' ? [{ ...event, time }] : []));
    const late = [...others.slice(0, row), ...mapped, ...others.slice(row)];
    const changed = { ...encoded, recording: { ...encoded.recording, sideband: late } };
    const { handOvers: _, ...whole } = await decodedInParts(changed, WHOLE);
    const { handOvers: __, ...apart } = await decodedInParts(changed, { ...WHOLE, decoders: 4, choices: [0, 1, 2, 3] });
    expect(apart).toEqual(whole);
    await expectSameInParts(changed);
  },
);

test.each(['cpus-1', 'noise'])('decoders hand over where each part has a PSB: %s', async (name) => {
  const encoded = await encodedOf(recordingPath(name), RECORDED_ROOT, false);
  const { handOvers } = await decodedInParts(encoded, {
    partBytes: 4500,
    decoders: 3,
    choices: [0, 1, 2],
    maxParts: 5,
  });
  expect(handOvers).toBeGreaterThan(0);
});

/**
 * Cuts the trace of recordings into parts of any size: whoever decodes them, events, errors and numbers of sites stay the same.
 */
import fc from 'fast-check';
import { describe, expect } from 'vitest';
import { test } from '../helpers/cli/run-cli.js';
import { encodedOf } from '../helpers/perf/both-decoders.js';
import { type Cutting, decodedInParts, WHOLE } from '../helpers/perf/in-parts.js';
import { RECORDED_ROOT, RECORDINGS, recordingPath } from '../helpers/perf/perf.js';

const RUNS = Number(process.env.PTFLAME_CUTS ?? 12);

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

describe.each(RECORDINGS)('%s', (name) => {
  test.each([
    ['calls and returns', false],
    ['every branch', true],
  ])('has the same events in parts: %s', async (_, allBranches) => {
    const encoded = await encodedOf(recordingPath(name), RECORDED_ROOT, allBranches);
    const { handOvers: __, ...whole } = await decodedInParts(encoded, WHOLE);
    await fc.assert(
      fc.asyncProperty(cuttings, limits, async (cutting, limit) => {
        const { handOvers: _, ...inParts } = await decodedInParts({ ...encoded, ...limit }, cutting);
        expect(inParts).toEqual(whole);
      }),
      { numRuns: RUNS },
    );
  });
});

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

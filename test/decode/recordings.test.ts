/**
 * Decodes the recordings of the fixtures with both decoders and compares whole profiles byte for byte.
 */
import { expect } from 'vitest';
import type * as library from '../../src/index.js';
import { analyze, renderJson } from '../../src/index.js';
import type { EncodedRecording } from '../../src/pipeline/decode/encoded-recording.js';
import { fixturePath, test } from '../helpers/cli/run-cli.js';
import { encodedOf, profileOfOwn, profileOfPerf } from '../helpers/perf/both-decoders.js';
import { ALONE } from '../helpers/perf/decoding.js';
import { RECORDED_ROOT, RECORDINGS, recordingPath } from '../helpers/perf/perf.js';
import { everyNth } from '../helpers/random/times.js';
import { needs } from '../tools/needs.js';

needs('perf');

/** Workers run what is built. */
const built = (await import(new URL('../../dist/src/index.js', import.meta.url).href)) as typeof library;

const OTHERS = ['four-cpus', 'one-cpu', 'overflow', 'switch-mode-2', 'truncated'];
const OWN_BINARIES = [...RECORDINGS, 'waits'].map(recordingPath);
/** Their binaries are those of a machine: they may be there, others of their name, or missing. */
const OTHER_BINARIES = OTHERS.map((name) => fixturePath(`perfdata/${name}.data`));

const WAYS = [
  ['calls and returns', RECORDED_ROOT, false],
  ['every branch', RECORDED_ROOT, true],
  ['calls and returns without the binaries', null, false],
] as const;

test.each(
  everyNth(
    OWN_BINARIES.flatMap((path) => WAYS.map((way) => [path, ...way] as const)),
    2,
  ),
)('gives the profile that perf gives: %s, %s', async (path, _, symfs, allBranches) => {
  const own = await profileOfOwn(path, symfs, allBranches);
  expect(own).toBe(await profileOfPerf(path, symfs, allBranches));
});

test.each(everyNth(RECORDINGS, 2))('gives the same profile if workers decode it in parts: %s', async (name) => {
  const encoded = await encodedOf(recordingPath(name), RECORDED_ROOT, false);
  const inline = [...renderJson(await analyze([encoded], ALONE))].join('');
  for (const [jobs, partBytes] of [
    [1, 100],
    [3, 4500],
  ] as const) {
    const profile = await built.analyze([{ ...encoded, maxInlineBytes: 0, partBytes }], { jobs });
    expect([...renderJson(profile)].join('')).toBe(inline);
  }
});

async function traceFileOf(encoded: EncodedRecording, jobs: number): Promise<Buffer> {
  const bytes: Uint8Array[] = [];
  const write = async (pieces: AsyncIterable<Uint8Array>) => {
    for await (const piece of pieces) bytes.push(piece.slice());
  };
  await built.importTrace([encoded], write, { jobs });
  return Buffer.concat(bytes);
}

test.each(['cpus-4', 'lossy'])('gives the same trace file if workers decode it in parts: %s', async (name) => {
  const encoded = await encodedOf(recordingPath(name), RECORDED_ROOT, false);
  const whole = await traceFileOf(encoded, 1);
  const inParts = await traceFileOf({ ...encoded, maxInlineBytes: 0, partBytes: 3000, eventBytes: 5000 }, 3);
  expect(inParts.equals(whole)).toBe(true);
});

test.each(OTHER_BINARIES)('gives the profile that perf gives: %s', async (path) => {
  for (const allBranches of [false, true])
    expect(await profileOfOwn(path, null, allBranches)).toBe(await profileOfPerf(path, null, allBranches));
});

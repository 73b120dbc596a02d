/**
 * Tests that speedscope's page shows every function of each thread with its time.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { renderSpeedscope } from '../../src/export/speedscope.js';
import type { AnalyzeOptions } from '../../src/index.js';
import { type ShownProfile, Speedscope } from '../helpers/checks/files/speedscope.js';
import { functionTimesOf, linesOf } from '../helpers/checks/function-times.js';
import { rendered } from '../helpers/checks/rendered.js';
import { fixture } from '../helpers/traces/load.js';
import { callsOf } from '../helpers/traces/longest-calls.js';
import { strangeTrace } from '../helpers/traces/strange-names.js';
import { isMissing, needs } from '../tools/needs.js';
import { OVER_TIME } from './over-time.js';

needs('Chromium');

let directory: string;
let speedscope: Speedscope;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'ptflame-test-'));
  if (!isMissing('Chromium')) speedscope = await Speedscope.start(directory);
});
afterAll(async () => {
  await speedscope?.stop();
  await rm(directory, { recursive: true });
});

async function shownOf(text: Uint8Array | string, options: AnalyzeOptions = {}) {
  const { profile, longestCalls } = await callsOf(text, options);
  const file = await rendered(renderSpeedscope(profile, longestCalls));
  return { profile, longestCalls, ...(await speedscope.shown(file, 'x.speedscope.json')) };
}

const timesOf = ({ frames }: ShownProfile) => frames.map((frame) => ({ ...frame, file: frame.file ?? null }));

test.each(OVER_TIME)('every function and nanosecond of %s', async (name) => {
  const { profile, profiles, title } = await shownOf(fixture(name));
  expect(title).toBe('ptflame - speedscope');
  const called = [...functionTimesOf(profile).values()].filter((times) => times.length > 0);
  expect(profiles.map((shown) => linesOf(timesOf(shown)))).toEqual(called.map(linesOf));
});

test('names, whatever they are, and threads', async () => {
  const { profile, profiles } = await shownOf(strangeTrace());
  expect(profiles.map(({ name }) => name)).toEqual(['thread/7']);
  expect(linesOf(timesOf(profiles[0] as ShownProfile))).toEqual(linesOf(functionTimesOf(profile).get(7) ?? []));
});

test('what was left out is in the title', async () => {
  const { title, longestCalls } = await shownOf(fixture('demo/threads.perf.txt.gz'), {
    longestCalls: { maxCalls: 20 },
  });
  expect(longestCalls.leftOut).toBe(853);
  expect(title).toBe('ptflame, without 853 calls shorter than 252 µs - speedscope');
});

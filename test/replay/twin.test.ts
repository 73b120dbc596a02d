/**
 * The fast replay and the reference replay give the same result for every fixture.
 */
import { readdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { Step } from '../../src/replay/functions/site-facts.js';
import type { TailCalls } from '../../src/replay/stack/frame.js';
import type { LoadedThread } from '../../src/trace/load-thread.js';
import { expectSameInTwin } from '../helpers/checks/same-in-twin.js';
import { columnsOf } from '../helpers/traces/thread-events.js';
import { type TraceThreads, threadsOfBeginning } from '../helpers/traces/threads-of.js';
import { isInTwin } from '../helpers/twin/reference-threads.js';

const FIXTURES = 'fixtures';
const FOLDERS = ['hardware', 'lab', 'constructed', 'truth', 'demo'];
const TRACE = /\.txt(?:\.gz)?$/;

const files = FOLDERS.flatMap((folder) =>
  readdirSync(`${FIXTURES}/${folder}`)
    .filter((name) => TRACE.test(name))
    .map((name) => `${FIXTURES}/${folder}/${name}`),
);

test('there are fixtures in every folder', () => {
  for (const folder of FOLDERS)
    expect(
      files.some((file) => file.startsWith(`${FIXTURES}/${folder}/`)),
      folder,
    ).toBe(true);
});

/** Left out are threads without decoded data, and what the reference replay does not handle. */
const loaded = new Map<string, Promise<{ trace: TraceThreads; compared: LoadedThread[] }>>();

function load(file: string) {
  let answer = loaded.get(file);
  if (answer === undefined) loaded.set(file, (answer = comparedThreads(file)));
  return answer;
}

async function comparedThreads(file: string) {
  const trace = await threadsOfBeginning(file);
  const { step } = trace.facts;
  const isSeen = ({ events }: LoadedThread) => columnsOf(events).site.some((site) => step[site] < Step.Gap);
  return {
    trace,
    compared: trace.threads.filter((thread) => isSeen(thread) && isInTwin(thread.events, trace.facts)),
  };
}

describe.each(files)('%s', (file) => {
  test.each(variants())('$tailCalls, $extend', async ({ tailCalls, extend }) => {
    const { trace, compared } = await load(file);
    const extendTo = extend === 'extended' ? trace.bounds : null;
    for (const thread of compared) expectSameInTwin(trace, thread, { tailCalls, extendTo });
  });
});

test('most threads are compared', async () => {
  const all = await Promise.all(files.map(load));
  const count = (lengths: number[]) => lengths.reduce((sum, length) => sum + length, 0);
  const compared = count(all.map(({ compared }) => compared.length));
  expect(compared).toBeGreaterThanOrEqual(136);
  expect(compared / count(all.map(({ trace }) => trace.threads.length))).toBeGreaterThan(0.97);
});

function variants(): { tailCalls: TailCalls; extend: 'extended' | 'as seen' }[] {
  return (['nest', 'replace'] as const).flatMap((tailCalls) =>
    (['extended', 'as seen'] as const).map((extend) => ({ tailCalls, extend })),
  );
}

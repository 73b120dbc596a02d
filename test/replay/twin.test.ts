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
import { isComplete } from '../helpers/twin/reference-threads.js';

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

/** Threads with losses are left out, as the reference replay does not handle them; so are threads without decoded data. */
const loaded = new Map<string, Promise<{ trace: TraceThreads; complete: LoadedThread[] }>>();

function load(file: string) {
  let answer = loaded.get(file);
  if (answer === undefined) loaded.set(file, (answer = completeThreads(file)));
  return answer;
}

async function completeThreads(file: string) {
  const trace = await threadsOfBeginning(file);
  const { step } = trace.facts;
  const isSeen = ({ events }: LoadedThread) => columnsOf(events).site.some((site) => step[site] < Step.Gap);
  return {
    trace,
    complete: trace.threads.filter((thread) => isSeen(thread) && isComplete(thread.events, trace.facts)),
  };
}

describe.each(files)('%s', (file) => {
  test.each(variants())('$tailCalls, $extend', async ({ tailCalls, extend }) => {
    const { trace, complete } = await load(file);
    const extendTo = extend === 'extended' ? trace.bounds : null;
    for (const thread of complete) expectSameInTwin(trace, thread, { tailCalls, extendTo });
  });
});

test('most threads are compared', async () => {
  const all = await Promise.all(files.map(load));
  const count = (lengths: number[]) => lengths.reduce((sum, length) => sum + length, 0);
  const compared = count(all.map(({ complete }) => complete.length));
  expect(compared).toBeGreaterThanOrEqual(125);
  expect(compared / count(all.map(({ trace }) => trace.threads.length))).toBeGreaterThan(0.89);
});

function variants(): { tailCalls: TailCalls; extend: 'extended' | 'as seen' }[] {
  return (['nest', 'replace'] as const).flatMap((tailCalls) =>
    (['extended', 'as seen'] as const).map((extend) => ({ tailCalls, extend })),
  );
}

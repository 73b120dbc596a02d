/**
 * Workers that share no memory, as in a page, give the same answers as those that do, and as one thread alone; and those with
 * two pages of a thread in memory as one that has all of it.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { build } from 'esbuild';
import { execa } from 'execa';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { everyNth } from '../../helpers/random/times.js';

/** Bundled, as workers start in half the time; in the tree, where packages are found. */
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp('dist/answers-');
  await build({
    entryPoints: ['test/helpers/workers/all-answers.mjs', 'dist/src/pipeline/workers/trace-worker.js'],
    entryNames: '[name]',
    outdir: folder,
    bundle: true,
    splitting: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
  });
});
afterAll(() => rm(folder, { recursive: true }));

const WITHOUT_SHARING = new URL('../../helpers/workers/without-sharing.mjs', import.meta.url).href;
/** Small threads are sent one by one. */
const TASKS = 'tasks: answerFromLog decodePart readLines readPart replayThread wake';
const SHARING_TASKS = TASKS.replace('replayThread', 'replaySmallThreads replayThread');

/** `PTFLAME_TEST_TIMES` asks all. */
const WHICH = everyNth([0, 1], 2).length > 1 ? 'all' : 'some';

/** Returns the answers, and which tasks workers had. */
async function answers(how: string, preloaded = ''): Promise<{ all: string[]; tasks: string }> {
  const env = { NODE_OPTIONS: preloaded }; // which workers inherit
  const { stdout } = await execa(process.execPath, [`${folder}/all-answers.js`, how, WHICH], { env });
  const all = stdout.split('\n');
  return { tasks: all.pop() ?? '', all };
}

/** Workers start for each answer. */
const timeout = 1_800_000;

let alone: Promise<Awaited<ReturnType<typeof answers>>> | null = null;

test.each([
  ['sharing memory', 'workers-16', ''],
  ['without memory to share', 'workers-64', `--import=${WITHOUT_SHARING}`],
] as const)('fixtures have the same answers with workers %s', { timeout }, async (_, how, preloaded) => {
  alone ??= answers('alone');
  const { all, tasks } = await answers(how, preloaded);
  expect(tasks).toBe(preloaded === '' ? SHARING_TASKS : TASKS);
  expect(all.length).toBeGreaterThan(22);
  const wanted = await alone;
  expect(wanted.tasks).toBe('tasks: ');
  expect(all).toEqual(wanted.all);
});

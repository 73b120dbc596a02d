/**
 * Workers that share no memory, as in a page, give the same answers as those that do, and as one thread alone; and those with
 * two pages of a thread in memory as one that has all of it.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { build } from 'esbuild';
import { execa } from 'execa';
import { afterAll, beforeAll, expect, test } from 'vitest';

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

/** Returns the answers of a third of the fixtures or of both, and which tasks workers had. */
async function answers(how: string, which: 0 | 1 | 'both', preloaded = ''): Promise<{ all: string[]; tasks: string }> {
  const env = { NODE_OPTIONS: preloaded }; // which workers inherit
  const { stdout } = await execa(process.execPath, [`${folder}/all-answers.js`, how, `${which}`], { env });
  const all = stdout.split('\n');
  return { tasks: all.pop() ?? '', all };
}

/** Workers start for each fixture, more than a hundred times. */
const timeout = 1_800_000;

let alone: Promise<Awaited<ReturnType<typeof answers>>> | null = null;

test.each([
  ['sharing memory', 'workers-16', 0, ''],
  ['without memory to share', 'workers-64', 1, `--import=${WITHOUT_SHARING}`],
] as const)(
  'a third of the fixtures has the same answers with workers %s',
  { timeout },
  async (_, how, third, preloaded) => {
    alone ??= answers('alone', 'both');
    const { all, tasks } = await answers(how, third, preloaded);
    expect(tasks).toBe(preloaded === '' ? SHARING_TASKS : TASKS);
    expect(all.length).toBeGreaterThan(45);
    const wanted = await alone;
    expect(wanted.tasks).toBe('tasks: ');
    expect(all).toEqual(wanted.all.filter((line) => line.startsWith(`${third} `)));
  },
);

/**
 * Workers that share no memory, as in a page, give the same answers as those that do, and as one thread alone.
 */
import { execa } from 'execa';
import { expect, test } from 'vitest';

const ANSWERS = 'test/helpers/workers/all-answers.mjs';
const WITHOUT_SHARING = new URL('../../helpers/workers/without-sharing.mjs', import.meta.url).href;
const TASKS = 'tasks: answerFromLog decodePart readLines readPart replayThread wake';

/** Returns the answers, and which tasks workers had. */
async function answers(how: 'alone' | 'workers', preloaded = ''): Promise<{ all: string[]; tasks: string }> {
  const env = { NODE_OPTIONS: preloaded }; // which workers inherit
  const { stdout } = await execa(process.execPath, [ANSWERS, how], { env });
  const all = stdout.split('\n');
  return { tasks: all.pop() ?? '', all };
}

test('all fixtures have the same answers with and without memory to share', { timeout: 600_000 }, async () => {
  const [alone, sharing, sending] = await Promise.all([
    answers('alone'),
    answers('workers'),
    answers('workers', `--import=${WITHOUT_SHARING}`),
  ]);
  expect(alone.all.length).toBeGreaterThan(140);
  expect([alone.tasks, sharing.tasks, sending.tasks]).toEqual(['tasks: ', TASKS, TASKS]);
  expect(sharing.all).toEqual(alone.all);
  expect(sending.all).toEqual(alone.all);
});

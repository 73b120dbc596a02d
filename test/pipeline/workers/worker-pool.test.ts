/**
 * A process that closes its pool while the workers start must not die: a small trace is done before they run. Workers that
 * have nothing to do do not start.
 */
import { execa } from 'execa';
import { expect, test } from 'vitest';

const POOL = new URL('../../../dist/src/pipeline/workers/worker-pool.js', import.meta.url).href;
/** Workers take some 50 ms to start; the steps meet every moment of that, also on a slow machine. */
const CLOSE_WHILE_STARTING = `
  import { WorkerPool } from ${JSON.stringify(POOL)};
  for (let waitMs = 0; waitMs < 160; waitMs += 4) {
    const pool = new WorkerPool(4, true, null);
    pool.wake();
    await new Promise((resolve) => setTimeout(resolve, waitMs));
    await pool.close();
  }
  console.log('closed');`;

test('closes its workers while they start', { timeout: 120_000 }, async () => {
  const { stdout } = await execa(process.execPath, ['--input-type=module', '--eval', CLOSE_WHILE_STARTING]);
  expect(stdout).toBe('closed');
});

/** Prints how many workers there are with one task, and with as many as there may be workers. */
const COUNT_WORKERS = `
  import { WorkerPool } from ${JSON.stringify(POOL)};
  let workers = 0;
  process.on('worker', () => workers++);
  const pool = new WorkerPool(3, true, null);
  pool.wake(1);
  while (!pool.isAwake) await new Promise((resolve) => setTimeout(resolve, 10));
  console.log(workers);
  await Promise.all([1, 2, 3].map(() => pool.run('wake', null)));
  console.log(workers);
  await pool.close();`;

test('starts a worker for the only task, and more for more', async () => {
  const { stdout } = await execa(process.execPath, ['--input-type=module', '--eval', COUNT_WORKERS]);
  expect(stdout).toBe('1\n3');
});

/** While the main thread works on the first answer, others arrive; then it closes the pool, as after an error. */
const CLOSE_WITH_ANSWERS = `
  import { WorkerPool } from ${JSON.stringify(POOL)};
  const pool = new WorkerPool(1, true, null);
  await pool.run('wake', {});
  const tasks = Array.from({ length: 50 }, () => pool.run('wake', {}));
  tasks[0] = tasks[0].then(() => {
    const until = performance.now() + 100;
    while (performance.now() < until);
    return pool.close();
  });
  await Promise.allSettled(tasks);
  console.log('closed');`;

test('answers that arrive while it is closed are dropped', async () => {
  const { stdout } = await execa(process.execPath, ['--input-type=module', '--eval', CLOSE_WITH_ANSWERS]);
  expect(stdout).toBe('closed');
});

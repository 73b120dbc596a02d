/**
 * A process that closes its pool while the workers start must not die: a small trace is done before they run.
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

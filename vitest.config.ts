import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

/** Timeouts are generous because machines are shared: a slow test is not a failure, a hanging one still is. */
export default defineConfig({
  test: {
    maxWorkers: availableParallelism() + 1, // many tests wait for a process or a page
    testTimeout: 60_000,
    hookTimeout: 60_000,
    globalSetup: './test/tools/global-setup.ts',
    setupFiles: './test/setup.ts',
  },
});

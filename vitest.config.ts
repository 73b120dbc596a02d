import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

/** Machines are shared: a test that is slow there is not wrong. What hangs is still found. */
export default defineConfig({
  test: {
    maxWorkers: availableParallelism() + 1, // many tests wait for a process or a page
    testTimeout: 60_000,
    hookTimeout: 60_000,
    globalSetup: './test/tools/global-setup.ts',
    setupFiles: './test/setup.ts',
  },
});

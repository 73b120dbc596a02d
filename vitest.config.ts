import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

/** Machines are shared: a test that is slow there is not wrong. What hangs is still found. */
export default defineConfig({
  test: {
    maxWorkers: Math.max(2, availableParallelism() - 1), // vitest alone would leave one of two processors idle
    testTimeout: 60_000,
    hookTimeout: 60_000,
    globalSetup: './test/tools/global-setup.ts',
    setupFiles: './test/setup.ts',
  },
});

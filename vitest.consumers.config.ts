import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { LongestFirst } from './test/tools/longest-first.js';

/**
 * Gives what ptflame writes to the tools that it is for, and reads what a kernel does in an emulator: too large or too slow
 * for every run of the tests.
 */
export default defineConfig({
  test: {
    include: ['consumers', 'emulated'].map((folder) => `test/${folder}/**/*.test.ts`),
    maxWorkers: availableParallelism() + 1, // most tests wait for a tool
    sequence: { sequencer: LongestFirst },
    testTimeout: 130_000,
    hookTimeout: 60_000,
    isolate: false,
    globalSetup: './test/tools/consumers-setup.ts',
    setupFiles: './test/setup.ts',
  },
});

import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { FACTOR } from './test/helpers/random/times.js';
import { LongestFirst } from './test/tools/longest-first.js';

/**
 * These tests measure or end their process, count how often code runs that must not have run before, or share files
 * through a helper: each test file has a process of its own.
 */
const PROGRAMS = [
  'test/*.test.ts',
  ...['bench', 'cli/process', 'cli/serve', 'golden', 'imports', 'perfdata/pack', 'pipeline/workers'].map(filesOf),
  ...['tools', 'trace/file'].map(filesOf),
  ...[
    'analysis/hostile',
    'analysis/log/many-questions-cost',
    'cli/many-workers',
    'property/fuzz', // asks how much memory the process has taken
    'codec/zstd', // a process decodes only so many damaged frames
    'perfdata/compressed',
    'property/linear',
    'symbols/dwarf/hostile',
    'render/svg/labels',
    'replay/cost',
  ].map((name) => `test/${name}.test.ts`),
];

/** vitest.consumers.config.ts has the others. */
const NOT_MODULES = [...PROGRAMS, ...['consumers', 'emulated'].map(filesOf)];

function filesOf(folder: string): string {
  return `test/${folder}/**/*.test.ts`;
}

/** Timeouts are generous because machines are shared: a slow test is not a failure, a hanging one still is. */
export default defineConfig({
  test: {
    maxWorkers: availableParallelism() + 1, // many tests wait for a process or a page
    testTimeout: 130_000 * Math.max(1, FACTOR), // longer than a program may run: test/helpers/cli/run-cli.ts
    hookTimeout: 60_000,
    sequence: { sequencer: LongestFirst },
    globalSetup: './test/tools/global-setup.ts',
    setupFiles: './test/setup.ts',
    projects: [
      { extends: true, test: { name: 'programs', include: PROGRAMS } },
      // Modules are loaded once for all files of a worker, which saves a fifth of the time.
      {
        extends: true,
        test: { name: 'modules', include: ['test/**/*.test.ts'], exclude: NOT_MODULES, isolate: false },
      },
    ],
  },
});

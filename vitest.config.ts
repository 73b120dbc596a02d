import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

/**
 * These tests start programs or browsers, measure the memory of their process, count how often code runs that must not
 * have run before, or share files through a helper: each test file has a process of its own.
 */
const PROGRAMS = [
  'test/*.test.ts',
  ...['bench', 'browser', 'cli', 'golden', 'imports', 'perfdata/pack', 'pipeline/workers', 'property', 'tools'].map(
    filesOf,
  ),
  ...['trace/file', 'truth'].map(filesOf),
  ...['analysis/hostile', 'analysis/log/many-questions-cost', 'render/svg/labels', 'replay/cost'].map(
    (name) => `test/${name}.test.ts`,
  ),
];

/** vitest.consumers.config.ts has the others. */
const NOT_MODULES = [...PROGRAMS, filesOf('consumers')];

function filesOf(folder: string): string {
  return `test/${folder}/**/*.test.ts`;
}

/** Timeouts are generous because machines are shared: a slow test is not a failure, a hanging one still is. */
export default defineConfig({
  test: {
    maxWorkers: availableParallelism() + 1, // many tests wait for a process or a page
    testTimeout: 60_000,
    hookTimeout: 60_000,
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

import { defineConfig } from 'vitest/config';

/** Gives what ptflame writes to the tools that it is for, which are too large or too slow for every run of the tests. */
export default defineConfig({
  test: {
    include: ['test/consumers/**/*.test.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    globalSetup: './test/tools/consumers-setup.ts',
    setupFiles: './test/setup.ts',
  },
});

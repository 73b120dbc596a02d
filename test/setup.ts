/**
 * Uses the same random seed in every run, so that a failure is caused by the change, and not by the
 * seed. `PTFLAME_TEST_SEED=random` uses a new one, `PTFLAME_TEST_SEED=NUMBER` that of a failed run.
 */
import { delimiter, dirname } from 'node:path';
import fc from 'fast-check';
import { inject } from 'vitest';

const { PTFLAME_TEST_SEED = '1', PATH = '' } = process.env;

fc.configureGlobal(PTFLAME_TEST_SEED === 'random' ? {} : { seed: Number(PTFLAME_TEST_SEED) });

/** Nothing is fetched from servers. */
delete process.env['DEBUGINFOD_URLS'];

/** The perf that runs may not be the first one on the PATH. */
const { perf } = inject('programs');
if (perf !== undefined) process.env['PATH'] = `${dirname(perf)}${delimiter}${PATH}`;

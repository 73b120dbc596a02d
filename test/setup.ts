/**
 * Every run of the tests asks the same random questions: who changes something sees what that change broke, and nothing
 * else. `PTFLAME_TEST_SEED=random` asks new ones, `PTFLAME_TEST_SEED=NUMBER` those of a run that failed.
 */
import { delimiter, dirname } from 'node:path';
import fc from 'fast-check';
import { inject } from 'vitest';

const { PTFLAME_TEST_SEED = '1', PATH = '' } = process.env;

fc.configureGlobal(PTFLAME_TEST_SEED === 'random' ? {} : { seed: Number(PTFLAME_TEST_SEED) });

/** The perf that runs may not be the first one on the PATH. */
const { perf } = inject('programs');
if (perf !== undefined) process.env['PATH'] = `${dirname(perf)}${delimiter}${PATH}`;

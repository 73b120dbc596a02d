/**
 * Every run of the tests asks the same random questions: who changes something sees what that change broke, and nothing
 * else. `PTFLAME_TEST_SEED=random` asks new ones, `PTFLAME_TEST_SEED=NUMBER` those of a run that failed.
 */
import fc from 'fast-check';

const { PTFLAME_TEST_SEED = '1' } = process.env;

fc.configureGlobal(PTFLAME_TEST_SEED === 'random' ? {} : { seed: Number(PTFLAME_TEST_SEED) });

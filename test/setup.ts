/**
 * Prepares each test file: random seed, environment, and comparisons.
 */
import { delimiter, dirname } from 'node:path';
import fc from 'fast-check';
import { afterAll, expect, inject } from 'vitest';
import { removeOwnDirectory } from './helpers/own-directory.js';

/** The same seed in every run, so that a failure is caused by the change; `random` is a new one, a number that of a failed run. */
const { PTFLAME_TEST_SEED = '1', PATH = '' } = process.env;

fc.configureGlobal(PTFLAME_TEST_SEED === 'random' ? {} : { seed: Number(PTFLAME_TEST_SEED) });

/** Columns with the same bytes are equal; otherwise each element would be compared, in a microsecond. */
expect.addEqualityTesters([
  (a: unknown, b: unknown) => {
    const areEqual = isColumn(a) && isColumn(b) && a.constructor === b.constructor && bytesOf(a).equals(bytesOf(b));
    return areEqual || undefined;
  },
]);

function isColumn(value: unknown): value is NodeJS.TypedArray {
  return ArrayBuffer.isView(value) && !(value instanceof DataView);
}

function bytesOf({ buffer, byteOffset, byteLength }: NodeJS.TypedArray): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}

/** Nothing is fetched from servers. */
delete process.env['DEBUGINFOD_URLS'];

/** The perf that runs may not be the first one on the PATH. */
const { perf } = inject('programs');
if (perf !== undefined) process.env['PATH'] = `${dirname(perf)}${delimiter}${PATH}`;

afterAll(removeOwnDirectory);

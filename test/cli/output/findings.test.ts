/**
 * What stands out is said where there is room for it; no room is no reason to fail.
 */
import { expect, test } from 'vitest';
import { findingLines, firstFinding } from '../../../cli/output/findings.js';
import { PtflameError } from '../../../src/model/errors.js';
import type { Profile } from '../../../src/model/profile/profile.js';
import { analyzeText } from '../../helpers/traces/load.js';
import { traceOf } from '../../helpers/traces/trace-of.js';

/** A profile whose threads cannot be summed up. */
async function failingProfile(error: Error): Promise<Profile> {
  const profile = await analyzeText(traceOf('1000 call main coder\n9000 return coder main'));
  return {
    ...profile,
    get threads(): never {
      throw error;
    },
    get together(): never {
      throw error;
    },
  };
}

test.each([
  new PtflameError('TOO_LARGE', 'more than --memory', { hint: 'none' }),
  new RangeError('Array buffer allocation failed'),
])('no memory for the tree of all threads: %s', async (error) => {
  const profile = await failingProfile(error);
  expect(findingLines(profile)).toEqual([]);
  expect(firstFinding(profile, null)).toBe(null);
});

test('our own faults are not hidden', async () => {
  const profile = await failingProfile(new TypeError('x is not a function'));
  expect(() => findingLines(profile)).toThrow(TypeError);
});

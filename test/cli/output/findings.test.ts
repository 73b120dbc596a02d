/**
 * What stands out is said where there is room for it; no room is no reason to fail.
 */
import { afterEach, expect, test, vi } from 'vitest';
import { findingLines, firstFinding } from '../../../cli/output/findings.js';
import { PtflameError } from '../../../src/model/errors.js';
import * as findings from '../../../src/render/findings.js';
import { analyzeText } from '../../helpers/traces/load.js';
import { traceOf } from '../../helpers/traces/trace-of.js';

vi.mock('../../../src/render/findings.js', { spy: true });
afterEach(() => vi.resetAllMocks());

const TRACE = traceOf(`
  1000  call    main  coder
  9000  return  coder main`);

test.each([
  new PtflameError('TOO_LARGE', 'more than --memory', { hint: 'none' }),
  new RangeError('Array buffer allocation failed'),
])('no memory for the tree of all threads: %s', async (error) => {
  const profile = await analyzeText(TRACE);
  vi.mocked(findings.findingTexts).mockImplementation(() => {
    throw error;
  });
  expect(findingLines(profile)).toEqual([]);
  expect(firstFinding(profile, null)).toBe(null);
});

test('our own faults are not hidden', async () => {
  const profile = await analyzeText(TRACE);
  vi.mocked(findings.findingTexts).mockImplementation(() => {
    throw new TypeError('x is not a function');
  });
  expect(() => findingLines(profile)).toThrow(TypeError);
});

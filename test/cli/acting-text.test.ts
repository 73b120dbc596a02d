/**
 * Names that would act on a terminal act nowhere: shown in text, escaped in JSON, which gives them back.
 */
import { expect } from 'vitest';
import { ptflame, test } from '../helpers/run-cli.js';

const NAME = 'a\x1b[31m\x9b1m\u202egnp\u2067';
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this is about
const ACTING = /[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/;
const TRACE = [
  `7 [000] 1.000000001: PERF_RECORD_COMM: ${NAME}:7/7\n`,
  `7 [000] 1.000000002: call 401000 ${NAME}+0x0 => 402000 b${NAME}+0x0\n`,
  `7 [000] 1.000000009: return 402010 b${NAME}+0x10 => 401005 ${NAME}+0x5\n`,
].join('');

test.each([
  ['report', '--csv'],
  ['report', '--json'],
  ['report'],
  ['latency', `b${NAME}`, '--json', '--slowest', '1'],
  ['render', '--format', 'folded', '--by', 'thread'],
  ['render', '--format', 'json'],
])('%s %s', async (command, ...flags) => {
  const dir = command === 'latency' ? [flags[0] as string, '-'] : ['-'];
  const options = command === 'latency' ? flags.slice(1) : flags;
  const { stdout, exitCode } = await ptflame([command, ...dir, ...options], { input: TRACE });
  expect(exitCode).toBe(0);
  expect(stdout).toContain('gnp');
  expect(stdout).not.toMatch(ACTING);
  if (flags.includes('--json') || flags.includes('json'))
    expect(JSON.stringify(JSON.parse(stdout))).toContain(JSON.stringify(NAME).slice(1, -1));
});

/**
 * `ptflame report` shows how much of the time is inferred and why: of the recording, and of each function.
 */
import { expect, test } from 'vitest';
import { reportLines } from '../../../../cli/commands/report.js';
import { reportOf } from '../../../../src/answers.js';
import { Report } from '../../../../src/questions/report/schema.js';
import { analyzeText, fixture } from '../../../helpers/traces/load.js';

const reportOn = async (name: string) =>
  reportOf(await analyzeText(fixture(`accuracy/${name}.txt.gz`)), { sort: 'self' });

test('in the head, and in a column with the main reason', async () => {
  const [head = '', inferred, ...lines] = [...reportLines(await reportOn('java-c1'), [], 250, 4)];
  expect(head).toContain('108 µs of 1 thread');
  expect(inferred).toBe('62.8 % of the time is inferred: mostly after losses, until a return confirms the stack');
  expect(
    lines.filter((line) => /inferred|\[lost]|tls_get_addr/.test(line)).map((line) => line.slice(-45).trim()),
  ).toEqual([
    expect.stringMatching(/ inferred {2}function$/),
    expect.stringMatching(/ >99\.9 % after losses {2}__tls_get_addr$/),
    expect.stringMatching(/ 100 % lost {2}\[lost]$/),
  ]);
});

test('not where nothing is inferred', async () => {
  const lines = [...reportLines(await reportOn('cpp20-branches'), [], 250, 4)];
  expect(lines.filter((line) => line.includes('inferred'))).toEqual([]);
});

test('in JSON, with what helps', async () => {
  const report = Report.parse(await reportOn('coro1'));
  expect(report.quality.remedies?.inferredBy).toEqual({ HiddenJump: '--itrace=be shows them', StackChoice: null });
  const next = report.functions.find(({ name }) => name === 'next');
  expect(next?.inferredBy).toEqual({ HiddenJump: next?.inferredNs });
  expect(report.functions.find(({ name }) => name === '[syscall]')?.inferredBy).toBeUndefined();
});

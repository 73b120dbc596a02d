/**
 * Reads files of older versions.
 */
import { expect, test } from 'vitest';
import { reportOf } from '../../src/questions/report/answer.js';
import { jsonOf, readBack } from '../helpers/checks/files/profile-file.js';
import { analyzeText, fixture, fold } from '../helpers/traces/load.js';
import { traceOf } from '../helpers/traces/trace-of.js';

test('reads version 1, without unwound calls and cut durations', async () => {
  const profile = await analyzeText(fixture('lab/cpp-exception-operators-lambda.txt'));
  const file = JSON.parse(jsonOf(profile));
  file.version = 1;
  for (const { tree } of file.threads) {
    delete tree.unwoundCalls;
    delete tree.longestCutNs;
  }
  const read = await readBack(JSON.stringify(file));
  for (const { tree } of read.threads) {
    expect([...tree.unwoundCalls, ...tree.longestCutNs].every((value) => value === 0)).toBe(true);
    expect(tree.unwoundCalls.length).toBe(tree.length);
  }
  expect(fold(read)).toBe(fold(profile));
  expect(JSON.parse(jsonOf(read)).version).toBe(2);
});

const calls = [
  '0    call             main  leaf',
  '50   PERF_RECORD_SWITCH OUT', // the trace does not stop after it, so it has no effect
  '100  return           leaf  main',
];
const answer = async (trace: readonly string[]) => {
  const profile = await analyzeText(traceOf(trace.join('\n')), { durations: true });
  const read = await readBack(jsonOf(profile));
  const again = reportOf(read).trace.hasSwitches;
  expect(reportOf(profile).trace.hasSwitches).toBe(again);
  return [again, JSON.parse(jsonOf(read)).quality.remedies.switches];
};

test('records whether there were switch records, even if no thread waited', async () => {
  expect(await answer(calls)).toEqual([true, null]);
  expect(await answer(calls.filter((line) => !line.includes('SWITCH')))).toEqual([
    false,
    'decode with --show-switch-events',
  ]);
});

test('infers switch records from waits if the file does not state them', async () => {
  for (const name of ['lab/cpp-exception-operators-lambda.txt', 'lab/thread-create-switch-migrate.txt']) {
    const profile = await analyzeText(fixture(name));
    const text = jsonOf(profile);
    const file = JSON.parse(text);
    delete file.meta.hasSwitches;
    const read = await readBack(JSON.stringify(file));
    expect(reportOf(read).trace.hasSwitches).toBe(reportOf(profile).trace.hasSwitches);
    expect(jsonOf(read)).not.toContain('"hasSwitches"');
  }
});

/**
 * Files of older versions are read.
 */
import { expect, test } from 'vitest';
import { analyzeText, fixture, fold } from '../helpers/load.js';
import { jsonOf, readBack } from '../helpers/profile-file.js';

test('version 1 is read: nothing is known of calls that were cut, and none was unwound', async () => {
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

/**
 * What the system says about a failure, without its code, the call and the path, which messages name themselves.
 */
import { readFileSync, readSync } from 'node:fs';
import { expect, test } from 'vitest';
import { systemReason, unreadableInput } from '../../src/model/errors.js';

function errorOf(work: () => unknown): unknown {
  try {
    work();
  } catch (error) {
    return error;
  }
  return null;
}

test.each([
  ['a path', () => readFileSync('/'), 'illegal operation on a directory'],
  ['a path with commas', () => readFileSync('/nowhere, open, x'), 'no such file or directory'],
  ['no path', () => readSync(9999, new Uint8Array(1)), 'bad file descriptor'],
])('of %s', (_, work, reason) => {
  expect(systemReason(errorOf(work))).toBe(reason);
});

test('leaves other errors as they are', () => {
  expect(systemReason(new Error('unexpected end of file'))).toBe('unexpected end of file');
  expect(systemReason('gone')).toBe('gone');
});

test('an input that cannot be opened is named once', () => {
  const name = 'x'.repeat(300);
  expect(
    unreadableInput(
      name,
      errorOf(() => readFileSync(name)),
    ).message,
  ).toBe(`cannot open ${name}: name too long`);
});

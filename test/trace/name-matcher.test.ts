import { expect, test } from 'vitest';
import { matchedParts, nameMatcher } from '../../src/trace/records/thread-names.js';

test('matches names against an expression', () => {
  const isFound = nameMatcher(/^do_|é/u, ['do_command', 'do_', 'undo_', 'café', 'do_command']);
  expect(['do_command', 'do_', 'undo_', 'café', 'never added'].map(isFound)).toEqual([true, true, false, true, false]);
});

test('rejects an expression that backtracks forever', () => {
  const names = ['main', `${'a'.repeat(60)}b`];
  expect(() => nameMatcher(/^(a*)*\1c$/u, names, 200)).toThrow(
    expect.objectContaining({ code: 'BAD_OPTION', message: expect.stringContaining('/^(a*)*\\1c$/ takes too long') }),
  );
});

test('takes the first group out of texts, or all that matches', () => {
  expect(matchedParts(/^00-(\w+)/g, ['00-a1-b', '00-a2', '01-a3', ''])).toEqual(['a1', 'a2', null, null]);
  expect(matchedParts(/\d+|x(y)?/, ['a17b', 'x', 'xy', 'b'])).toEqual(['17', 'x', 'y', null]);
  expect(() => matchedParts(/^(a*)*\1c$/u, [`${'a'.repeat(60)}b`], 200)).toThrow(
    expect.objectContaining({ code: 'BAD_OPTION' }),
  );
});

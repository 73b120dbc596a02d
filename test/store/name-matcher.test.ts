import { expect, test } from 'vitest';
import { nameMatcher } from '../../src/store/records/name-matcher.js';

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

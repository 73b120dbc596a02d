/**
 * Each task that runs has a work space of its own.
 */
import { expect, test } from 'vitest';
import { inOwnSpace, workSpaces } from '../../../src/pipeline/replay/work-spaces.js';

test('tasks that run at the same time have different spaces, which others use after them', () => {
  const spaces = workSpaces([null, null], 64);
  const [first, second] = spaces.spaces;
  inOwnSpace(spaces, (outer) => {
    expect(outer).toBe(first);
    inOwnSpace(spaces, (inner) => expect(inner).toBe(second));
    inOwnSpace(spaces, (inner) => expect(inner).toBe(second));
  });
  expect(inOwnSpace(spaces, (space) => space)).toBe(first);
});

test('a task that fails releases its space', () => {
  const spaces = workSpaces([null], 64);
  const fail = () => {
    throw new Error('a damaged trace');
  };
  expect(() => inOwnSpace(spaces, fail)).toThrow('a damaged trace');
  expect(inOwnSpace(spaces, ({ buffer }) => buffer.byteLength)).toBe(64);
});

import { expect, test } from 'vitest';
import { similarNames } from '../../src/render/similar-names.js';

const NAMES = ['pthread_mutex_lock', '__mutex_lock', 'worker', 'Pool::worker', 'work_queue_run', 'main', 'Pool::Pool'];

test('returns names that contain the wanted one first, the shortest first', () => {
  expect(similarNames('mutex_lock', NAMES)).toEqual(['__mutex_lock', 'pthread_mutex_lock']);
  expect(similarNames('MUTEX_LOCK', NAMES)).toEqual(['__mutex_lock', 'pthread_mutex_lock']);
});

test('finds similar spellings of a mistyped name in any scope', () => {
  expect(similarNames('wrker', NAMES)).toEqual(['worker', 'Pool::worker']);
  expect(similarNames('mian', NAMES)).toEqual([]); // two of four letters
  expect(similarNames('maim', NAMES)).toEqual(['main']);
});

test('returns nothing without a similar name', () => {
  expect(similarNames('no_such_function', NAMES)).toEqual([]);
  expect(similarNames('z', NAMES)).toEqual([]);
});

test('returns at most three names', () => {
  expect(similarNames('f', ['f4', 'f3', 'f2', 'f1'])).toEqual(['f1', 'f2', 'f3']);
});

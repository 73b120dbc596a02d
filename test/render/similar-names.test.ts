import { expect, test } from 'vitest';
import { similarNames } from '../../src/render/similar-names.js';

const NAMES = ['pthread_mutex_lock', '__mutex_lock', 'worker', 'Pool::worker', 'work_queue_run', 'main', 'Pool::Pool'];

test('names that hold the wanted one come first, the shortest of them first', () => {
  expect(similarNames('mutex_lock', NAMES)).toEqual(['__mutex_lock', 'pthread_mutex_lock']);
  expect(similarNames('MUTEX_LOCK', NAMES)).toEqual(['__mutex_lock', 'pthread_mutex_lock']);
});

test('a name that is mistyped finds those that are spelled almost like it, wherever they are declared', () => {
  expect(similarNames('wrker', NAMES)).toEqual(['worker', 'Pool::worker']);
  expect(similarNames('mian', NAMES)).toEqual([]); // two of four letters
  expect(similarNames('maim', NAMES)).toEqual(['main']);
});

test('what is like nothing finds nothing', () => {
  expect(similarNames('no_such_function', NAMES)).toEqual([]);
  expect(similarNames('z', NAMES)).toEqual([]);
});

test('three at most', () => {
  expect(similarNames('f', ['f4', 'f3', 'f2', 'f1'])).toEqual(['f1', 'f2', 'f3']);
});

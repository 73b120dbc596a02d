/**
 * Runs on disk are not so short that reading them takes many reads, and not so long that parts of threads, which begin where
 * runs do, become uneven.
 */
import { expect, test } from 'vitest';
import { TraceStore } from '../../src/trace/trace-store.js';

/** Adds runs of so many numbers, on two CPUs in turns, and returns the lengths that the store has, by CPU. */
function storedLengths(lengths: readonly number[]): (readonly number[])[] {
  const store = new TraceStore({}, { memoryBytes: 0, directory: null });
  lengths.forEach((length, row) => {
    const runs = [{ tid: 7, cpu: row % 2, length, events: length }];
    const events = [{ runs, events: new Int32Array(length), startNs: row, endNs: row }];
    store.add({ events, records: [], names: [], mappings: [] }, 'input');
  });
  const { lanes, events } = store.freeze(true).threadSource(7);
  store.memory.close();
  expect(events).toBe(lengths.reduce((sum, length) => sum + length, 0));
  return lanes.map(([lane]) => {
    expect(lane?.events).toEqual(lane?.lengths); // as they were added
    return lane?.lengths ?? [];
  });
}

const KI = 1024;

test('short runs are joined, and long ones stay', () => {
  // The store has memory for 512 Ki numbers: with the last runs, the others go to disk.
  expect(storedLengths([20, 3, 20, 3, 20, 3, 100, 3, 70, 3, 512, 400].map((length) => length * KI))).toEqual([
    [60 * KI, 100 * KI, 70 * KI, 512 * KI],
    [15 * KI, 400 * KI],
  ]);
});

test('however many there are, each has several short ones', () => {
  const [first = []] = storedLengths(Array.from({ length: 400 }, () => 10 * KI));
  expect(Math.max(...first)).toBe(60 * KI);
  expect(first.length).toBeLessThan(200 / 3);
});

/**
 * Three wakings of the bundled trace: of one thread by another, by a thread that was not traced, and at one moment.
 */
import type { Wakings } from '../../../src/model/profile/timeline.js';

export const SOME_WAKINGS: Wakings = {
  threads: [
    { tid: 5001, comm: 'threads', isTraced: true },
    { tid: 5002, comm: 'threads', isTraced: true },
    { tid: 9, comm: 'irq', isTraced: false },
  ],
  rows: {
    waiter: Int32Array.of(1, 1, 0),
    waker: Int32Array.of(0, 2, 1),
    startNs: Float64Array.of(0, 0, 0),
    wakeNs: Float64Array.of(100, 200, 400),
    runNs: Float64Array.of(150, 300, 400),
    isMaybe: Uint8Array.of(0, 1, 0),
  },
  leftOut: [3, 4],
};

/**
 * What workers tell of a thread before its replay is done: a large one takes long.
 */
import type { Tid } from '../../model/units.js';
import { watchWork } from '../../model/work.js';

/** Of a thread that is being replayed. */
export interface Work {
  readonly tid: Tid;
  /** Passed since the last time. */
  readonly rows: number;
}

/** A message of a worker between its answers. */
export interface WorkMessage {
  readonly work: Work;
}

const EVERY_MS = 100;

let send: ((message: WorkMessage) => void) | null = null;

/** Sets how this worker tells the main thread. */
export function sendWorkBy(by: (message: WorkMessage) => void): void {
  send = by;
}

/** Begins to tell of a thread. `weight`: of each row that is passed. */
export function tellWorkOn(tid: Tid, weight = 1): void {
  let rows = 0;
  let toldMs = performance.now();
  watchWork((passed) => {
    rows += weight * passed;
    const nowMs = performance.now();
    if (nowMs - toldMs < EVERY_MS) return;
    send?.({ work: { tid, rows } });
    [rows, toldMs] = [0, nowMs];
  });
}

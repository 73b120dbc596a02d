/**
 * Lines as columns while they are read: written row by row, used again for each piece of a trace.
 */
import { resized } from '../model/columns.js';

const LEAST_ROWS = 1024;

export class LineColumns {
  length = 0;
  start = new Int32Array(LEAST_ROWS);
  branch = new Int32Array(LEAST_ROWS);
  tid = new Int32Array(LEAST_ROWS);
  pid = new Int32Array(LEAST_ROWS);
  cpu = new Int32Array(LEAST_ROWS);
  seconds = new Float64Array(LEAST_ROWS);
  ns = new Int32Array(LEAST_ROWS);

  /** The row to be written next. */
  nextRow(): number {
    if (this.length === this.start.length) this.grow();
    return this.length++;
  }

  private grow(): void {
    const rows = 2 * this.length;
    this.start = resized(this.start, rows);
    this.branch = resized(this.branch, rows);
    this.tid = resized(this.tid, rows);
    this.pid = resized(this.pid, rows);
    this.cpu = resized(this.cpu, rows);
    this.ns = resized(this.ns, rows);
    const seconds = new Float64Array(rows);
    seconds.set(this.seconds);
    this.seconds = seconds;
  }
}

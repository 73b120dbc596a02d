/**
 * The compact form of runs: the events of one lane from one piece.
 *
 * An event is two numbers: its site, and the nanoseconds since the previous event. The first one, and one whose step
 * does not fit, is four: FAR, the site, and the time itself as the two halves of a floating-point number. Events
 * can also be in bundles (event-bundle.ts).
 */
import type { Nanoseconds, SiteId } from '../units.js';

export const FAR = -1;
/** Numbers per event, near and far. */
export const NEAR_LENGTH = 2;
export const FAR_LENGTH = 4;

/** Builds a run. */
export class RunBuilder {
  private values = new Int32Array(64);
  private length = 0;
  private lastNs: Nanoseconds = Number.NaN;

  add(site: SiteId, timeNs: Nanoseconds): void {
    if (this.length + FAR_LENGTH > this.values.length) this.grow();
    const step = timeNs - this.lastNs;
    this.lastNs = timeNs;
    if ((step | 0) === step) {
      this.values[this.length++] = site;
      this.values[this.length++] = step;
      return;
    }
    this.values.set([FAR, site], this.length);
    writeTime(this.values, this.length + 2, timeNs);
    this.length += FAR_LENGTH;
  }

  /** Returns the run; shares memory with the builder. */
  build(): Int32Array {
    return this.values.subarray(0, this.length);
  }

  private grow(): void {
    const larger = new Int32Array(2 * this.values.length);
    larger.set(this.values);
    this.values = larger;
  }
}

const HALVES = new DataView(new ArrayBuffer(8));

/** Returns the time of the far event that begins at `at`. */
export function farTime(run: Int32Array, at: number): Nanoseconds {
  return readTime(run, at + 2);
}

/** Returns the time whose halves are at `at` and after it. */
export function readTime(numbers: Int32Array, at: number): Nanoseconds {
  HALVES.setInt32(0, numbers[at], true);
  HALVES.setInt32(4, numbers[at + 1], true);
  return HALVES.getFloat64(0, true);
}

/** Writes the halves of a time to `at` and after it. */
export function writeTime(numbers: Int32Array, at: number, timeNs: Nanoseconds): void {
  HALVES.setFloat64(0, timeNs, true);
  numbers[at] = HALVES.getInt32(0, true);
  numbers[at + 1] = HALVES.getInt32(4, true);
}

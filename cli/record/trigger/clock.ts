/**
 * Tells how late ptflame learns of events: perf's clock has an origin of its own, so the event that arrived fastest counts as
 * seen at once. Clocks drift apart by milliseconds a minute, so only the last minute or two count.
 */

const WINDOW_NS = 60e9;

export class Delays {
  #startNs = Number.NEGATIVE_INFINITY;
  #least = Number.POSITIVE_INFINITY;
  /** Of the window before. */
  #leastBefore = Number.POSITIVE_INFINITY;

  /** An event happened at `timeNs` on perf's clock and is known at `nowNs` on ours. */
  add(timeNs: number, nowNs: number): void {
    if (nowNs - this.#startNs >= WINDOW_NS) {
      this.#startNs = nowNs;
      this.#leastBefore = this.#least;
      this.#least = Number.POSITIVE_INFINITY;
    }
    this.#least = Math.min(this.#least, nowNs - timeNs);
  }

  /** Returns how long after an event `nowNs` is. */
  since(timeNs: number, nowNs: number): number {
    return Math.round(this.onPerfClock(nowNs) - timeNs);
  }

  /** Returns the time on perf's clock. */
  onPerfClock(nowNs: number): number {
    return nowNs - Math.min(this.#least, this.#leastBefore);
  }
}

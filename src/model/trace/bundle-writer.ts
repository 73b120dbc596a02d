/**
 * Turns runs of near and far events into bundles (event-bundle.ts).
 */
import type { Nanoseconds, SiteId } from '../units.js';
import {
  BUNDLE,
  BUNDLE_END,
  BUNDLE_HEAD_LENGTH,
  BUNDLE_START,
  LONG_STEP,
  LONG_TIME_BYTES,
  MAX_BUNDLE_EVENTS,
  MAX_BYTE_SITES,
  padded,
  TIME_BYTES,
} from './event-bundle.js';
import { FAR, FAR_LENGTH, farTime, NEAR_LENGTH, writeTime } from './event-run.js';

const MAX_SAME_TIME = 255;
/** Beyond it, rows of earlier bundles are dropped. */
const MAX_TAG = 2 ** 31 - MAX_BUNDLE_EVENTS;

export class BundleWriter {
  private numbers = new Int32Array(64 * 1024);
  private length = 0;
  private lastNs: Nanoseconds = 0;
  /** By site: its row in the bundle that had it last. */
  private rowOf = new Int32Array(1024);
  /** Added to the rows of this bundle: more than those of any bundle before. */
  private tag = 0;
  private events = 0;
  private siteCount = 0;
  private readonly sites = new Int32Array(MAX_BUNDLE_EVENTS);
  private readonly rows = new Uint16Array(MAX_BUNDLE_EVENTS);
  private readonly times = new Uint8Array(MAX_BUNDLE_EVENTS * LONG_TIME_BYTES);
  private timeBytes = 0;

  /** Drops what was written; sites are numbers below `siteCount`. */
  clear(siteCount: number): void {
    this.length = 0;
    if (siteCount <= this.rowOf.length) return;
    this.rowOf = new Int32Array(2 * siteCount);
    this.tag = 0;
  }

  /** Returns all bundles, one after another; valid until the next change. */
  written(): Int32Array {
    return this.numbers.subarray(0, this.length);
  }

  /** Adds a run. Returns the length of its bundles. */
  add(run: Int32Array): number {
    const before = this.length;
    for (let at = 0; at < run.length; ) at = this.addBundle(run, at);
    return this.length - before;
  }

  /** Adds events until time steps back, or until a far event. Returns the index after them. */
  private addBundle(run: Int32Array, start: number): number {
    const isFar = run[start] === FAR;
    const startNs = isFar ? farTime(run, start) : this.lastNs + run[start + 1];
    this.begin(startNs);
    this.addSite(isFar ? run[start + 1] : run[start]);
    let at = start + (isFar ? FAR_LENGTH : NEAR_LENGTH);
    let before = 0;
    let step = 0;
    for (;;) {
      at = this.addSameTime(run, at);
      this.addTime(this.events - before, step);
      if (at === run.length || this.events === MAX_BUNDLE_EVENTS || run[at] === FAR || run[at + 1] < 0) break;
      before = this.events;
      step = run[at + 1];
      this.addSite(run[at]);
      at += NEAR_LENGTH;
    }
    this.write(startNs);
    return at;
  }

  private begin(startNs: Nanoseconds): void {
    this.lastNs = startNs;
    this.events = 0;
    this.siteCount = 0;
    this.timeBytes = 0;
    this.tag += MAX_BUNDLE_EVENTS;
    if (this.tag < MAX_TAG) return;
    this.rowOf.fill(0);
    this.tag = MAX_BUNDLE_EVENTS;
  }

  private addSite(site: SiteId): void {
    const { rowOf, tag } = this;
    if (rowOf[site] < tag) {
      this.sites[this.siteCount] = site;
      rowOf[site] = tag + this.siteCount++;
    }
    this.rows[this.events++] = rowOf[site] - tag;
  }

  /** Adds the events that follow without a step. Returns the index after them. */
  private addSameTime(run: Int32Array, start: number): number {
    const { rowOf, rows, tag } = this;
    let { events } = this;
    const end = Math.min(run.length, start + NEAR_LENGTH * Math.min(MAX_SAME_TIME - 1, MAX_BUNDLE_EVENTS - events));
    let at = start;
    for (; at < end && run[at + 1] === 0 && run[at] !== FAR; at += NEAR_LENGTH) {
      const row = rowOf[run[at]] - tag;
      if (row >= 0) rows[events++] = row;
      else {
        this.events = events++;
        this.addSite(run[at]);
      }
    }
    this.events = events;
    return at;
  }

  private addTime(events: number, step: Nanoseconds): void {
    const { times, timeBytes: at } = this;
    this.lastNs += step;
    times[at] = events;
    times[at + 1] = step;
    this.timeBytes += TIME_BYTES;
    if (step < LONG_STEP) return;
    times[at + 1] = LONG_STEP;
    for (let byte = 0; byte < 4; byte++) times[at + TIME_BYTES + byte] = step >> (8 * byte);
    this.timeBytes = at + LONG_TIME_BYTES;
  }

  private write(startNs: Nanoseconds): void {
    const { events, siteCount } = this;
    const isShort = siteCount <= MAX_BYTE_SITES;
    const rowBytes = padded(isShort ? events : 2 * events);
    const length = BUNDLE_HEAD_LENGTH + siteCount + (rowBytes + padded(this.timeBytes)) / 4;
    if (this.length + length > this.numbers.length) this.grow(length);
    const { numbers, length: at } = this;
    numbers.set([BUNDLE, length, events, siteCount], at);
    writeTime(numbers, at + BUNDLE_START, startNs);
    writeTime(numbers, at + BUNDLE_END, this.lastNs);
    numbers.set(this.sites.subarray(0, siteCount), at + BUNDLE_HEAD_LENGTH);
    const start = 4 * (at + BUNDLE_HEAD_LENGTH + siteCount);
    const rows = this.rows.subarray(0, events);
    if (isShort) new Uint8Array(numbers.buffer, start, events).set(rows);
    else new Uint16Array(numbers.buffer, start, events).set(rows);
    new Uint8Array(numbers.buffer, start + rowBytes).set(this.times.subarray(0, this.timeBytes));
    this.length += length;
  }

  private grow(length: number): void {
    const larger = new Int32Array(2 * (this.length + length));
    larger.set(this.numbers);
    this.numbers = larger;
  }
}

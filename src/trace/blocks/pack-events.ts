/**
 * Encodes a thread's events as blocks.
 */
import { MAX_BLOCK_EVENTS, type PackedBlock, writeBlockHead } from '../../codec/block-head.js';
import { putCount } from '../../codec/byte-writer.js';
import { RECORD_SITES } from '../../model/trace/branch-sites.js';
import { type Nanoseconds, NONE, type Tid } from '../../model/units.js';
import type { LaneEvents } from '../lanes/lane-events.js';
import { FAR_TIME, FIRST_EXPECTED, MAX_STEP_NS } from './event-code.js';

/** A site takes at most five bytes, a time nine. */
const MAX_EVENT_BYTES = 14;

/** How sites and times are numbered in the file. */
export interface PackingParameters {
  /** By site. */
  readonly rankOf: Uint32Array;
  /** By rank, from `expectedSites`. */
  readonly expected: Int32Array;
  /** Time 0 of the file. */
  readonly originNs: Nanoseconds;
}

/** An encoded block, not yet compressed or placed in a file. */
export interface EncodedBlock extends Pick<PackedBlock, 'events' | 'startNs' | 'endNs'> {
  readonly data: Uint8Array;
}

interface OpenPart {
  readonly cpu: number;
  readonly startNs: Nanoseconds;
  events: number;
}

/** Accepts the events of one thread after another, and within a thread of one CPU after another. */
export class EventPacker {
  private tid: Tid = NONE;
  private readonly terms: PackingParameters;
  private readonly data = Buffer.alloc(MAX_BLOCK_EVENTS * MAX_EVENT_BYTES);
  private length = 0;
  private events = 0;
  private parts: OpenPart[] = [];
  private startNs = Number.POSITIVE_INFINITY;
  private endNs = Number.NEGATIVE_INFINITY;
  private lastNs = 0;
  private expectedSite = FIRST_EXPECTED;

  constructor(terms: PackingParameters) {
    this.terms = terms;
  }

  /** Begins a thread; the previous one must be finished. */
  begin(tid: Tid): void {
    this.tid = tid;
  }

  /** Adds consecutive events of a CPU. Yields each block that is full. */
  *add(cpu: number, { length, site, timeNs }: LaneEvents): Generator<EncodedBlock> {
    for (let row = 0; row < length; ) {
      const end = Math.min(length, row + MAX_BLOCK_EVENTS - this.events);
      this.addRows(this.partOf(cpu, timeNs[row] - this.terms.originNs), site, timeNs, row, end);
      row = end;
      if (this.events === MAX_BLOCK_EVENTS) yield* this.finish();
    }
  }

  /** Yields the last block, if any. */
  *finish(): Generator<EncodedBlock> {
    if (this.events === 0) return;
    const { tid, events, startNs, endNs, parts } = this;
    const head = writeBlockHead({ tid, events, startNs, endNs, parts });
    yield { events, startNs, endNs, data: Buffer.concat([head, this.data.subarray(0, this.length)]) };
    this.length = 0;
    this.events = 0;
    this.parts = [];
    this.startNs = Number.POSITIVE_INFINITY;
    this.endNs = Number.NEGATIVE_INFINITY;
  }

  private partOf(cpu: number, startNs: Nanoseconds): OpenPart {
    const last = this.parts.at(-1);
    if (last?.cpu === cpu) return last;
    const part = { cpu, startNs, events: 0 };
    this.parts.push(part);
    this.lastNs = startNs;
    this.expectedSite = FIRST_EXPECTED;
    return part;
  }

  private addRows(part: OpenPart, site: Uint32Array, timeNs: Float64Array, start: number, end: number): void {
    const { rankOf, expected, originNs } = this.terms;
    const { data } = this;
    let { length, lastNs, expectedSite, startNs, endNs } = this;
    for (let row = start; row < end; row++) {
      const rank = rankOf[site[row]] - RECORD_SITES;
      const atNs = timeNs[row] - originNs;
      const ahead = rank - expectedSite;
      length = putCount(data, length, ahead < 0 ? ahead + expected.length : ahead);
      const stepNs = atNs - lastNs;
      if (isNear(stepNs, lastNs, atNs)) length = putCount(data, length, stepNs + 1);
      else length = data.writeDoubleLE(atNs, putCount(data, length, FAR_TIME));
      if (atNs < startNs) startNs = atNs;
      if (atNs > endNs) endNs = atNs;
      lastNs = atNs;
      expectedSite = expected[rank];
    }
    part.events += end - start;
    this.events += end - start;
    Object.assign(this, { length, lastNs, expectedSite, startNs, endNs });
  }
}

/** Returns whether adding the step to the previous time gives exactly this time. */
function isNear(stepNs: number, lastNs: Nanoseconds, atNs: Nanoseconds): boolean {
  return stepNs >= 0 && stepNs <= MAX_STEP_NS && Number.isInteger(stepNs) && lastNs + stepNs === atNs;
}

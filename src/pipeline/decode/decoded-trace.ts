/**
 * Adds what decoders find to a trace.
 */
import { type DecodedPart, type DecodedRun, errorsOf, runsOf } from '../../decode/decoded-part.js';
import type { Mark } from '../../decode/hand-over.js';
import type { Image } from '../../decode/images.js';
import type { Slot } from '../../decode/schedule.js';
import type { Part } from '../../decode/streams.js';
import { noLines } from '../../model/profile/quality.js';
import type { EventColumns, EventRun, TraceRecord } from '../../model/trace/trace-chunk.js';
import type { TraceBuilder } from '../read/trace-builder.js';
import type { CpuError } from './decode-errors.js';
import type { TakenPart } from './decode-parts.js';
import type { DecodeContext } from './decode-task.js';
import { SiteNames, WorkerSites } from './decoder-sites.js';
import type { Locate } from './locate.js';

const NO_EVENTS: EventColumns = {
  length: 0,
  tid: new Int32Array(),
  cpu: new Int32Array(),
  site: new Uint32Array(),
  timeNs: new Float64Array(),
};
const NOTHING = { events: NO_EVENTS, grouped: null, records: [], names: [], mappings: [] };

export class DecodedTrace {
  readonly errors: CpuError[] = [];
  readonly sites: WorkerSites;
  private readonly name: string;
  private readonly into: TraceBuilder;

  /** `name`: of the recording. */
  constructor(name: string, into: TraceBuilder, images: readonly Image[], locate: Locate) {
    this.name = name;
    this.into = into;
    this.sites = new WorkerSites(new SiteNames(into.context.interner, images, locate));
  }

  /** Adds the events and errors of a part between two marks. */
  add({ cpu: row, part, decoded, sites, from, to }: TakenPart, { cpus }: DecodeContext): void {
    const { trace, slots } = cpus[row] as DecodeContext['cpus'][number];
    const events = decoded.events.subarray(from?.events ?? 0, to?.events);
    const runs = runsOf(decoded, from?.runs ?? 0, to?.runs).map(({ slot, ...run }) => ({
      ...run,
      tid: (slots[slot] as Slot).tid,
      cpu: trace.cpu,
    }));
    sites.replaceIn(events);
    for (const { slot, ...error } of errorsOf(decoded, from?.errors ?? 0, to?.errors)) {
      const { tid, pid } = slots[slot] as Slot;
      this.errors.push({ ...error, tid, pid, cpu: trace.cpu });
    }
    this.addRuns(runs, events);
    this.into.countBytes(bytesOf(part, decoded, from, to));
  }

  addGaps(records: readonly TraceRecord[]): void {
    this.into.add({ ...NOTHING, records }, this.name);
    this.into.addAccount({ counts: { ...noLines(), lines: records.length, gapLines: records.length } });
  }

  private addRuns(runs: readonly RunOfThread[], events: Int32Array): void {
    if (runs.length === 0) return;
    const { into } = this;
    const count = runs.reduce((sum, run) => sum + run.events, 0);
    const startNs = runs.reduce((first, run) => Math.min(first, run.startNs), Number.POSITIVE_INFINITY);
    const endNs = runs.reduce((last, run) => Math.max(last, run.endNs), Number.NEGATIVE_INFINITY);
    into.add({ ...NOTHING, grouped: { runs, events, startNs, endNs } }, this.name);
    into.context.timed += count;
    into.addAccount({ counts: { ...noLines(), lines: count, events: count } });
  }
}

type RunOfThread = EventRun & Pick<DecodedRun, 'startNs' | 'endNs'>;

/** Bytes of trace between two marks. */
function bytesOf(part: Part, { bytes, rest }: DecodedPart, from: Mark | null, to: Mark | null): number {
  const before = from === null ? 0 : from.offset - part.offset;
  const after = to === null || rest === null ? 0 : rest.offset - to.offset;
  return bytes - before - after;
}

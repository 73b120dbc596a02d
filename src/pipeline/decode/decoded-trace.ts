/**
 * Adds what decoders find to a trace.
 */

import type { Image } from '../../decode/images.js';
import type { Mark, Part } from '../../decode/parts.js';
import { type DecodedPart, type DecodedRun, errorsOf, runsOf } from '../../decode/parts.js';
import type { Slot } from '../../decode/schedule.js';
import { noLines } from '../../model/profile/profile.js';
import type { EventColumns, EventRun, TraceRecord } from '../../model/trace/trace-chunk.js';
import type { TraceBuilder } from '../read/trace-builder.js';
import { type CpuError, cpuError } from './decode-errors.js';
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
  private readonly images: readonly Image[];

  /** `name`: of the recording. */
  constructor(name: string, into: TraceBuilder, images: readonly Image[], locate: Locate) {
    this.name = name;
    this.into = into;
    this.images = images;
    this.sites = new WorkerSites(new SiteNames(into.context.interner, images, locate));
  }

  /** Adds the events and errors of a part between two marks. */
  add({ cpu: row, part, decoded, sites, from, to }: TakenPart, { cpus }: DecodeContext): void {
    const cpu = cpus[row] as DecodeContext['cpus'][number];
    const { trace, slots } = cpu;
    const all = runsOf(decoded, from?.runs ?? 0, to?.runs).map(({ slot, ...run }) => ({
      ...run,
      tid: (slots[slot] as Slot).tid,
      cpu: trace.cpu,
    }));
    const { runs, events } = this.ofThreads(all, decoded.events.subarray(from?.events ?? 0, to?.events));
    sites.replaceIn(events);
    for (const error of errorsOf(decoded, from?.errors ?? 0, to?.errors))
      this.errors.push(cpuError(error, cpu, this.images));
    this.addRuns(runs, events);
    this.into.countBytes(bytesOf(part, decoded, from, to));
  }

  addGaps(records: readonly TraceRecord[]): void {
    this.into.add({ ...NOTHING, records }, this.name);
    this.into.addAccount({ counts: { ...noLines(), lines: records.length, gapLines: records.length } });
  }

  /** Leaves out events of the idle CPU, which only a damaged trace has: they are lines that text reading ignores. */
  private ofThreads(
    all: readonly RunOfThread[],
    events: Int32Array,
  ): { readonly runs: readonly RunOfThread[]; readonly events: Int32Array } {
    if (all.every(isOfThread)) return { runs: all, events };
    const idle = all.filter((run) => !isOfThread(run)).reduce((sum, run) => sum + run.events, 0);
    this.into.addAccount({ counts: { ...noLines(), lines: idle, ignoredLines: idle } });
    let at = 0;
    const kept = all.flatMap((run) => {
      const own = events.subarray(at, (at += run.length));
      return isOfThread(run) ? [...own] : [];
    });
    return { runs: all.filter(isOfThread), events: Int32Array.from(kept) };
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

function isOfThread({ tid }: RunOfThread): boolean {
  return tid > 0;
}

/** Bytes of trace between two marks. */
function bytesOf(part: Part, { bytes, rest }: DecodedPart, from: Mark | null, to: Mark | null): number {
  const before = from === null ? 0 : from.offset - part.offset;
  const after = to === null || rest === null ? 0 : rest.offset - to.offset;
  return bytes - before - after;
}

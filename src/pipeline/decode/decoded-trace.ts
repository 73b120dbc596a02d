/**
 * Adds what decoders find to a trace.
 */
import { codeAt, type Image, toAddress } from '../../decode/images.js';
import type { Mark, Part } from '../../decode/parts.js';
import { type DecodedError, type DecodedPart, type DecodedRun, errorsOf, runsOf } from '../../decode/parts.js';
import type { Slot } from '../../decode/schedule.js';
import { noLines } from '../../model/profile/profile.js';
import type { EventRun, TraceRecord } from '../../model/trace/trace-chunk.js';
import { idleName, idleTid, NONE, type Tid } from '../../model/units.js';
import type { Recording } from '../../perfdata/recording.js';
import type { TraceBuilder } from '../read/trace-builder.js';
import { SiteNames, type TakenPart, WorkerSites } from './decode-parts.js';
import { nsOf } from './decode-plan.js';
import type { DecodeContext } from './decode-task.js';
import type { Locate } from './locate.js';

const NOTHING = { events: [], records: [], names: [], mappings: [] };

export class DecodedTrace {
  readonly errors: CpuError[] = [];
  readonly sites: WorkerSites;
  /** Idle tasks that were named. */
  private readonly idle = new Set<Tid>();

  /** `name`: of the recording; `hasKernel`: the kernel is decoded, too. */
  constructor(
    private readonly name: string,
    private readonly into: TraceBuilder,
    private readonly images: readonly Image[],
    locate: Locate,
    private readonly hasKernel: boolean,
  ) {
    this.sites = new WorkerSites(new SiteNames(into.context.interner, images, locate));
  }

  /** Adds the events and errors of a part between two marks. */
  add({ cpu: row, part, decoded, sites, from, to }: TakenPart, { cpus }: DecodeContext): void {
    const cpu = cpus[row] as DecodeContext['cpus'][number];
    const { trace, slots } = cpu;
    const all = runsOf(decoded, from?.runs ?? 0, to?.runs).map(({ slot, ...run }) => ({
      ...run,
      tid: this.threadOf((slots[slot] as Slot).tid, trace.cpu),
      cpu: trace.cpu,
    }));
    const { runs, events } = this.ofThreads(all, decoded.events.subarray(from?.events ?? 0, to?.events));
    sites.replaceIn(events);
    for (const error of errorsOf(decoded, from?.errors ?? 0, to?.errors))
      this.errors.push(cpuError(error, cpu, this.images));
    this.addRuns(runs, events);
    this.into.countBytes(bytesOf(part, decoded, from, to));
  }

  /** An idle task is a thread if the kernel is traced. */
  private threadOf(tid: Tid, cpu: number): Tid {
    if (tid !== 0 || cpu < 0 || !this.hasKernel) return tid;
    const idle = idleTid(cpu);
    if (!this.idle.has(idle)) {
      this.idle.add(idle);
      const name = { tid: idle, pid: 0, comm: idleName(cpu), parent: null, timeNs: Number.NEGATIVE_INFINITY };
      this.into.add({ ...NOTHING, names: [name] }, this.name);
    }
    return idle;
  }

  addGaps(records: readonly TraceRecord[]): void {
    this.into.add({ ...NOTHING, records }, this.name);
    this.into.addAccount({ counts: { ...noLines(), lines: records.length, gapLines: records.length } });
  }

  /** Leaves out events of the idle CPU, which without the kernel only a damaged trace has: they are lines that text reading ignores. */
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
    into.add({ ...NOTHING, events: [{ runs, events, startNs, endNs }] }, this.name);
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

/** Turns errors of the decoder, and those that the recording's own records report, into gaps, as perf prints them. */
export interface CpuError extends Omit<DecodedError, 'slot'> {
  /** Whose code is missing, as recorded; null: another error, or no file. */
  readonly file: string | null;
  readonly cpu: number;
  readonly tid: Tid;
  readonly pid: number;
}

const NO_CODE = 5;
const LOST_DATA = 8;
/** perf's messages, by its numbers of errors. */
const MESSAGES: ReadonlyMap<number, string> = new Map([
  [3, 'Bad packet'],
  [NO_CODE, 'Failed to get instruction'],
  [6, "Trace doesn't match instruction"],
  [7, 'Overflow packet'],
  [LOST_DATA, 'Lost trace data'],
  [10, 'Never-ending loop (refer perf config intel-pt.max-loops)'],
]);

/** `trace`: the CPU on which a decoder found the error. */
export function cpuError(
  { slot: row, ...error }: DecodedError,
  { trace, slots }: DecodeContext['cpus'][number],
  images: readonly Image[],
): CpuError {
  const { tid, pid, image, tick } = slots[row] as Slot;
  const mapped = error.code === NO_CODE ? images[image - 1] : undefined;
  const file = mapped === undefined ? null : (codeAt(mapped, toAddress(error.ip), tick)?.file ?? null);
  return { ...error, tid, pid, cpu: trace.cpu, file };
}

/** Returns an error where the kernel's buffer was full. */
export function truncations({ auxRecords, sideband }: Recording, originNs: bigint): CpuError[] {
  const pidOf = new Map(sideband.map(({ tid, pid }) => [tid, pid]));
  return auxRecords.flatMap(({ cpu, tid, time, isTruncated }) => {
    if (!isTruncated || time === null) return [];
    return [
      {
        cpu,
        tid,
        pid: pidOf.get(tid) ?? NONE,
        timeNs: Number(nsOf(time) - originNs),
        code: LOST_DATA,
        ip: 0n,
        file: null,
      },
    ];
  });
}

/**
 * Returns the gaps of these errors, in order of time. Of a binary that cannot be read perf reports only the first error, over
 * all CPUs. `binaries`: those that can be read, by recorded path.
 */
export function gapRecords(errors: readonly CpuError[], binaries: ReadonlyMap<string, string>): TraceRecord[] {
  const reported = new Set<string>();
  const records: TraceRecord[] = [];
  for (const { tid, pid, cpu, timeNs, code, ip, file } of errors.toSorted(byTimeAndCpu)) {
    const missing = file !== null && !binaries.has(file) ? file : null;
    if (missing !== null && reported.has(missing)) continue;
    if (missing !== null) reported.add(missing);
    const message = MESSAGES.get(code) ?? 'Unknown error!';
    records.push({ what: 'gap', tid, pid, cpu, timeNs, code, message, ip: toAddress(ip) || Number.NaN });
  }
  return records;
}

function byTimeAndCpu(a: CpuError, b: CpuError): number {
  return a.timeNs - b.timeNs || a.cpu - b.cpu;
}

/**
 * A recording as a source, decoded here: each CPU by itself, in a worker if there is much trace.
 */
import { MessageChannel } from 'node:worker_threads';
import type { DecodedWindow } from '../../decode/decode-stream.js';
import type { RecordingEnvironment } from '../../model/profile/profile.js';
import { noLines } from '../../model/profile/quality.js';
import { FAR, FAR_LENGTH, farTime, NEAR_LENGTH } from '../../model/trace/event-run.js';
import type { EventColumns } from '../../model/trace/trace-chunk.js';
import type { Nanoseconds } from '../../model/units.js';
import type { Recording } from '../../perfdata/recording.js';
import { addOwnRecords } from '../read/own-records.js';
import type { Source } from '../read/source.js';
import type { TraceBuilder } from '../read/trace-builder.js';
import { type CpuError, gapRecords, truncations } from './decode-errors.js';
import { type CpuTrace, type DecodePlan, decodePlan } from './decode-plan.js';
import { type DecodeTask, decodeWindows } from './decode-task.js';
import { DecoderSites } from './decoder-sites.js';
import type { Locate } from './locate.js';

/** A recording whose trace is still encoded. */
export interface EncodedRecording {
  readonly name: string;
  /** Of its trace. */
  readonly sizeBytes: number;
  /** The file. */
  readonly path: string;
  readonly recording: Recording;
  /** Every branch, not only calls and returns. */
  readonly allBranches: boolean;
  /** Where the binaries are, by recorded path (latin1). Missing ones cannot be decoded. */
  readonly binaries: ReadonlyMap<string, string>;
  readonly locate: Locate;
  readonly recorded: RecordingEnvironment | null;
  /** Why it is incomplete; null: it is complete. */
  readonly broken: string | null;
  /** More trace than this is decoded by workers. Default 1 MiB; tests use less. */
  readonly maxInlineBytes?: number;
}

/** Less trace than this is decoded before a worker would have started. */
const MAX_INLINE_BYTES = 1024 * 1024;
const NO_EVENTS: EventColumns = {
  length: 0,
  tid: new Int32Array(),
  cpu: new Int32Array(),
  site: new Uint32Array(),
  timeNs: new Float64Array(),
};
const NOTHING = { events: NO_EVENTS, grouped: null, records: [], names: [], mappings: [] };

export class DecodingSource implements Source {
  readonly name: string;
  readonly recorded: RecordingEnvironment | null;
  readonly standsAlone = false;
  private readonly encoded: EncodedRecording;

  constructor(encoded: EncodedRecording) {
    this.name = encoded.name;
    this.recorded = encoded.recorded;
    this.encoded = encoded;
  }

  async read(into: TraceBuilder): Promise<void> {
    const { name, recording, binaries, broken } = this.encoded;
    if (broken !== null) into.addAccount({ broken: [{ input: name, reason: broken }] });
    if (recording.bounds !== null) into.context.timeOf(recording.bounds.start); // the first time is the origin of all
    const plan = decodePlan(this.encoded);
    const decoding = new Decoding(this.encoded, plan, into);
    await decoding.run();
    const errors = [...decoding.errors, ...truncations(recording, decoding.originNs)];
    const records = gapRecords(errors, plan.schedule.images, binaries);
    into.add({ ...NOTHING, records }, name);
    into.addAccount({ counts: { ...noLines(), lines: records.length, gapLines: records.length } });
    into.isDecodedHere = true;
    addOwnRecords(name, recording.sideband, into);
  }
}

/** Decodes all CPUs into a trace. */
class Decoding {
  readonly errors: CpuError[] = [];
  /** perf's clock at time 0 of the trace. */
  readonly originNs: bigint;
  private readonly encoded: EncodedRecording;
  private readonly plan: DecodePlan;
  private readonly into: TraceBuilder;

  constructor(encoded: EncodedRecording, plan: DecodePlan, into: TraceBuilder) {
    this.encoded = encoded;
    this.plan = plan;
    this.into = into;
    this.originNs = BigInt(into.context.originSeconds ?? 0) * 1_000_000_000n;
  }

  async run(): Promise<void> {
    const { cpus } = this.plan;
    const totalBytes = cpus.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
    const { maxInlineBytes = MAX_INLINE_BYTES } = this.encoded;
    const isInline = totalBytes <= maxInlineBytes || !this.into.readers.canWork;
    if (isInline) for (const trace of cpus) this.decodeInline(trace);
    else await Promise.all(cpus.map((trace) => this.decodeInWorker(trace)));
  }

  private taskOf(trace: CpuTrace): DecodeTask {
    const { path, allBranches, binaries } = this.encoded;
    const { timing, schedule } = this.plan;
    const { images } = schedule;
    const slots = schedule.slotsOf(trace);
    return { path, trace, timing, originNs: this.originNs, allBranches, slots, images, binaries };
  }

  private newSites(): DecoderSites {
    return new DecoderSites(this.into.context.interner, this.plan.schedule.images, this.encoded.locate);
  }

  private decodeInline(trace: CpuTrace): void {
    const sites = this.newSites();
    for (const window of decodeWindows(this.taskOf(trace))) this.addWindow(window, trace.cpu, sites);
  }

  private async decodeInWorker(trace: CpuTrace): Promise<void> {
    const sites = this.newSites();
    const { port1, port2 } = new MessageChannel();
    const received = new Promise<void>((resolve, reject) => {
      port1.on('message', (window: DecodedWindow | null) => {
        if (window === null) return resolve();
        try {
          this.addWindow(window, trace.cpu, sites);
        } catch (error) {
          reject(error);
        }
        port1.postMessage(null);
      });
    });
    try {
      await Promise.all([this.into.readers.decodeCpu({ ...this.taskOf(trace), port: port2 }), received]);
    } finally {
      port1.close();
    }
  }

  private addWindow(window: DecodedWindow, cpu: number, sites: DecoderSites): void {
    const { into } = this;
    const { runs, events, newSites, errors, bytes } = window;
    sites.add(newSites);
    sites.replaceIn(events);
    for (const error of errors) this.errors.push({ ...error, cpu });
    const count = runs.reduce((sum, run) => sum + run.events, 0);
    if (count > 0) {
      const lanes = runs.map(({ tid, length, events }) => ({ tid, cpu, length, events }));
      into.add({ ...NOTHING, grouped: { runs: lanes, events, ...timesOf(events) } }, this.encoded.name);
      into.context.timed += count;
      into.addAccount({ counts: { ...noLines(), lines: count, events: count } });
    }
    into.countBytes(bytes);
  }
}

/** Returns the first and the last time in runs of events. */
function timesOf(events: Int32Array): { readonly startNs: Nanoseconds; readonly endNs: Nanoseconds } {
  let startNs = Number.POSITIVE_INFINITY;
  let endNs = Number.NEGATIVE_INFINITY;
  let timeNs = 0;
  for (let at = 0; at < events.length; ) {
    const isFar = events[at] === FAR;
    timeNs = isFar ? farTime(events, at) : timeNs + events[at + 1];
    at += isFar ? FAR_LENGTH : NEAR_LENGTH;
    if (timeNs < startNs) startNs = timeNs;
    if (timeNs > endNs) endNs = timeNs;
  }
  return { startNs, endNs };
}

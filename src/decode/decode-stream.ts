/**
 * Decodes the trace of one CPU, window by window, into runs of events, sites and errors.
 */
import type { Nanoseconds, Tid } from '../model/units.js';
import { CodePages, type ReadCode } from './code-pages.js';
import type { Image } from './images.js';
import {
  FAULT_BYTES,
  FAULT_CODE,
  FAULT_IP,
  FAULT_SLOT,
  FAULT_TICK,
  RECORD_BYTES,
  RECORD_END,
  RECORD_REFERENCE,
  RUN_BYTES,
  RUN_EVENT_BYTES,
  RUN_EVENTS,
  RUN_SLOT,
  SITE_BYTES,
  SITE_EDGE,
  SITE_FROM,
  SITE_IMAGE,
  SITE_KIND,
  SITE_TO,
  SLOT_BYTES,
  SLOT_IMAGE,
  SLOT_TICK,
} from './kernel/layout.js';
import { type Kernel, newKernel } from './kernel.js';
import type { Slot } from './schedule.js';
import type { Timing } from './settings.js';

/** A trace record (AUXTRACE): where its bytes are among those of its CPU, and the tick it was written near. */
export interface TraceRecordBytes {
  readonly offset: number;
  readonly sizeBytes: number;
  readonly reference: bigint;
}

/** Records whose bytes follow each other without a gap. */
export type Stream = readonly [TraceRecordBytes, ...TraceRecordBytes[]];

export interface DecodedRun {
  readonly tid: Tid;
  readonly pid: number;
  /** Numbers in `events`, as in model/trace/event-run.ts. */
  readonly length: number;
  readonly events: number;
}

export interface DecodedError {
  readonly tid: Tid;
  readonly pid: number;
  readonly timeNs: Nanoseconds;
  readonly code: number;
  /** Where the walk was; 0: unknown. */
  readonly ip: bigint;
}

/** Sites by number, from `first` on. */
export interface DecodedSites {
  readonly first: number;
  readonly length: number;
  /** Rows as kernel/layout.ts has them. */
  readonly rows: DataView;
}

/** What a window held. Its events are a copy. */
export interface DecodedWindow {
  readonly runs: readonly DecodedRun[];
  readonly events: Int32Array;
  readonly newSites: DecodedSites;
  readonly errors: readonly DecodedError[];
  /** Bytes of trace that were consumed. */
  readonly bytes: number;
}

export interface SiteRow {
  readonly from: bigint;
  readonly to: bigint;
  readonly image: number;
  readonly kind: number;
  readonly edge: number;
}

export function siteRow({ rows }: DecodedSites, row: number): SiteRow {
  const at = row * SITE_BYTES;
  return {
    from: rows.getBigUint64(at + SITE_FROM, true),
    to: rows.getBigUint64(at + SITE_TO, true),
    image: rows.getUint32(at + SITE_IMAGE, true),
    kind: rows.getUint8(at + SITE_KIND),
    edge: rows.getUint8(at + SITE_EDGE),
  };
}

const WINDOW_BYTES = 1 << 20;
const EVENTS = 0;
const RUNS = 1;
const SITES = 2;
const FAULTS = 3;

export interface DecoderOptions {
  readonly timing: Timing;
  /** perf's clock at time 0 of the trace. */
  readonly originNs: bigint;
  /** Jumps within functions, too. */
  readonly allBranches: boolean;
  /** By number, from 1. */
  readonly images: readonly Image[];
  readonly readCode: ReadCode;
}

/** Decodes streams of one CPU after another; keeps code and sites. */
export class StreamDecoder {
  private readonly kernel: Kernel;
  private readonly originNs: bigint;
  private readonly window: number;
  private slots: readonly Slot[] = [];
  private knownSites = 0;

  constructor({ timing, originNs, allBranches, images, readCode }: DecoderOptions) {
    const slot = () => this.slots[kernel.currentSlot()] as Slot;
    const kernel = newKernel(
      (_, address) => pages.load(slot(), address),
      (_, address) => pages.endsTrace(slot(), address),
    );
    const pages = new CodePages(kernel, images, readCode);
    kernel.setTiming(timing.mtcPeriod, timing.ctcNumerator, timing.ctcDenominator, timing.maxBusRatio);
    kernel.setClock(timing.shift, timing.mult, timing.zero, originNs);
    kernel.wantAllBranches(allBranches);
    kernel.setFiltered(images.some(({ mappings }) => mappings.some(({ filters }) => filters !== undefined)));
    this.window = kernel.space(WINDOW_BYTES);
    this.kernel = kernel;
    this.originNs = originNs;
  }

  /** `read` fills in bytes of the stream, from an offset on. */
  *decode(
    stream: Stream,
    slots: readonly Slot[],
    read: (offset: number, into: Uint8Array) => void,
  ): Generator<DecodedWindow> {
    const { kernel } = this;
    this.slots = slots;
    writeSlots(kernel, slots);
    writeRecords(kernel, stream);
    kernel.startStream(stream[0].reference);
    const last = stream[stream.length - 1] as TraceRecordBytes;
    const end = last.offset + last.sizeBytes;
    let offset = stream[0].offset;
    while (offset < end) {
      const bytes = Math.min(WINDOW_BYTES, end - offset);
      read(offset, new Uint8Array(kernel.memory.buffer, this.window, bytes));
      const consumed = kernel.decodeWindow(this.window, bytes, BigInt(offset), offset + bytes === end);
      offset = consumed === 0 || offset + bytes === end ? end : offset + consumed;
      yield this.takeWindow(consumed);
    }
  }

  private takeWindow(bytes: number): DecodedWindow {
    const { kernel } = this;
    const result = {
      runs: this.runs(),
      events: this.events(),
      newSites: this.newSites(),
      errors: this.errors(),
      bytes,
    };
    kernel.forgetEvents();
    return result;
  }

  private column(column: number): DataView {
    const { kernel } = this;
    return new DataView(kernel.memory.buffer, kernel.columnStart(column), kernel.columnBytes(column));
  }

  private events(): Int32Array {
    const { kernel } = this;
    return new Int32Array(kernel.memory.buffer, kernel.columnStart(EVENTS), kernel.columnBytes(EVENTS) / 4).slice();
  }

  private runs(): DecodedRun[] {
    const view = this.column(RUNS);
    return Array.from({ length: view.byteLength / RUN_BYTES }, (_, row) => {
      const at = row * RUN_BYTES;
      const { tid, pid } = this.slots[view.getUint32(at + RUN_SLOT, true)] as Slot;
      const length = view.getUint32(at + RUN_EVENT_BYTES, true) / 4;
      return { tid, pid, length, events: view.getUint32(at + RUN_EVENTS, true) };
    });
  }

  private newSites(): DecodedSites {
    const { kernel } = this;
    const first = this.knownSites;
    const length = kernel.columnBytes(SITES) / SITE_BYTES - first;
    const start = kernel.columnStart(SITES) + first * SITE_BYTES;
    const bytes = new Uint8Array(kernel.memory.buffer, start, length * SITE_BYTES).slice();
    this.knownSites += length;
    return { first, length, rows: new DataView(bytes.buffer) };
  }

  private errors(): DecodedError[] {
    const view = this.column(FAULTS);
    return Array.from({ length: view.byteLength / FAULT_BYTES }, (_, row) => {
      const at = row * FAULT_BYTES;
      const { tid, pid } = this.slots[view.getUint32(at + FAULT_SLOT, true)] as Slot;
      const ns = this.kernel.nsOf(view.getBigUint64(at + FAULT_TICK, true));
      const timeNs = Number(BigInt.asIntN(64, ns - this.originNs));
      return {
        tid,
        pid,
        timeNs,
        code: view.getUint32(at + FAULT_CODE, true),
        ip: view.getBigUint64(at + FAULT_IP, true),
      };
    });
  }
}

function writeSlots(kernel: Kernel, slots: readonly Slot[]): void {
  const start = kernel.writeSchedule(slots.length * SLOT_BYTES);
  const view = new DataView(kernel.memory.buffer, start);
  slots.forEach(({ tick, image }, row) => {
    view.setBigUint64(row * SLOT_BYTES + SLOT_TICK, tick, true);
    view.setUint32(row * SLOT_BYTES + SLOT_IMAGE, image, true);
  });
}

function writeRecords(kernel: Kernel, stream: Stream): void {
  const start = kernel.writeRecords(stream.length * RECORD_BYTES);
  const view = new DataView(kernel.memory.buffer, start);
  stream.forEach(({ offset, sizeBytes, reference }, row) => {
    view.setBigUint64(row * RECORD_BYTES + RECORD_END, BigInt(offset + sizeBytes), true);
    view.setBigUint64(row * RECORD_BYTES + RECORD_REFERENCE, reference, true);
  });
}

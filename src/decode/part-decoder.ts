/**
 * Decodes parts of the trace of CPUs, one after another; keeps code and sites between them.
 */

import type { TraceTiming } from '../model/trace/perf-time.js';
import type { Address } from '../model/units.js';
import { CodePages, type FunctionAt, FunctionBounds, type ReadCode } from './code-pages.js';
import { type DecoderModule, newDecoderModule } from './decoder-module.js';
import type { CodeChange, Image } from './images.js';
import type { DecodedPart, DecoderSites } from './parts.js';
import { endOf, type Part, type Position, recordAt, type Stream, type TraceRecordBytes } from './parts.js';
import type { Slot } from './schedule.js';
import {
  CHANGE_BYTES,
  CHANGE_END,
  CHANGE_START,
  CHANGE_TICK,
  COLUMN_BUNDLES,
  COLUMN_COUNTS,
  COLUMN_EVENTS,
  COLUMN_FAULTS,
  COLUMN_MARKS,
  COLUMN_RUNS,
  COLUMN_SITES,
  MAX_LOOK_AHEAD,
  RECORD_BYTES,
  RECORD_END,
  RECORD_REFERENCE,
  SITE_BYTES,
  SLOT_AT_SWITCH,
  SLOT_BYTES,
  SLOT_IMAGE,
  SLOT_TICK,
} from './wasm/layout.js';

/** Which jumps are events: those that leave their function, as far as its bounds are known. */
export type Jumps = (typeof JUMPS)[number];

/** By JUMPS_… of wasm/layout.ts. */
const JUMPS = ['none', 'leaving', 'all'] as const;

/** In ticks. */
export interface TickBounds {
  readonly first: bigint;
  readonly last: bigint;
}

export interface DecoderOptions {
  readonly timing: TraceTiming;
  /** No trace of the recording is earlier or later; default: unknown. */
  readonly bounds?: TickBounds | null;
  /** perf's clock at time 0 of the trace. */
  readonly originNs: bigint;
  readonly jumps: Jumps;
  readonly hasMtc: boolean;
  /** Whether returns may be bits of TNT packets; default: they may. */
  readonly compressesReturns?: boolean;
  /** By number, from 1. */
  readonly images: readonly Image[];
  /** How the kernel's code changes, in order of time; default: not at all. */
  readonly changes?: readonly CodeChange[];
  /** Where the kernel switches stacks; default: it is not traced, or unknown. */
  readonly switchAt?: Address | null;
  readonly readCode: ReadCode;
  readonly functionAt: FunctionAt;
  /** Decoding stops when it has found about that many bytes of events, or needs about that much more memory for code and sites. */
  readonly eventBytes: number;
  readonly codeBytes: number;
  /** Code is loaded so many bytes at a time. Default: what is fastest. */
  readonly pageBytes?: number;
  /** Times in nanoseconds from the origin, in order: instructions and cycles are counted up to the events there. Needs `isPlain`. */
  readonly countsAt?: Float64Array;
  /** Events are in bundles (model/trace/event-runs.ts). Default: near and far ones. */
  readonly inBundles?: boolean;
  /** Each packet and block by itself, without what only makes it faster. */
  readonly isPlain?: boolean;
}

/** The trace of a CPU, and who ran there. */
export interface CpuStreams {
  readonly streams: readonly Stream[];
  readonly slots: readonly Slot[];
  /** Fills in bytes of a stream, from an offset on. */
  readonly read: (stream: Stream, offset: number, into: Uint8Array) => void;
}

/** Enough for most parts, with what is looked ahead for. */
const WINDOW_BYTES = 320 * 1024;

export class PartDecoder {
  private readonly module: DecoderModule;
  private readonly window: number;
  private readonly inBundles: boolean;
  private slots: readonly Slot[] = [];
  private stream: Stream | null = null;
  private knownSites = 0;

  /** `replaced`: a decoder that is no longer needed, whose memory is used. */
  constructor(options: DecoderOptions, replaced: PartDecoder | null = null) {
    const { timing, originNs, jumps, hasMtc, images, changes = [], readCode, functionAt, ...others } = options;
    const module = newDecoderModule(
      (image, address) => pages.load(image, this.tick(), address),
      (image, address) => pages.endsTrace(image, this.tick(), address),
      (image, address) => bounds.around(image, address),
      replaced?.module.memory,
    );
    const pages = new CodePages(module, images, changes, readCode, others.pageBytes);
    const bounds = new FunctionBounds(module, images, functionAt);
    module.setTiming(timing.mtcPeriod, timing.ctcNumerator, timing.ctcDenominator, timing.maxBusRatio);
    module.setClock(timing.shift, timing.mult, timing.zero, originNs);
    if (others.bounds) module.setBounds(others.bounds.first, others.bounds.last);
    module.wantJumps(JUMPS.indexOf(jumps));
    module.walkPlainly(others.isPlain === true);
    module.setFiltered(images.some(({ mappings }) => mappings.some(({ filters }) => filters !== undefined)));
    module.setMarks(!hasMtc);
    module.setSwitch(BigInt(others.switchAt ?? 0));
    writeChanges(module, changes);
    if (others.countsAt) writeCountsAt(module, others.countsAt);
    module.compressReturns(others.compressesReturns !== false);
    this.window = module.space(MAX_LOOK_AHEAD);
    module.limit(others.eventBytes, others.codeBytes);
    this.inBundles = others.inBundles === true;
    this.module = module;
  }

  /** When the thread that runs began to. */
  private tick(): bigint {
    return (this.slots[this.module.currentSlot()] as Slot).tick;
  }

  /** No further part may be decoded: code and sites have become too large. */
  get isFull(): boolean {
    return this.module.isFull();
  }

  /** The events are in the decoder's memory, until it decodes the next part. */
  decode(part: Part, cpu: CpuStreams): DecodedPart {
    const { module } = this;
    module.beginPart();
    let position: Position = part;
    let bytes = 0;
    for (;;) {
      this.begin(position, part, cpu);
      const offset = this.decodeStream(position, cpu);
      bytes += offset - position.offset;
      const rest = this.restAt(offset, position.stream, part, cpu.streams);
      if (rest === null || module.hasStopped()) return this.found(rest, bytes);
      position = rest;
    }
  }

  private begin({ stream, offset, state }: Position, part: Part, { streams, slots }: CpuStreams): void {
    const { module } = this;
    const records = streams[stream] as Stream;
    if (this.slots !== slots) writeSlots(module, slots);
    if (this.stream !== records) writeRecords(module, records);
    this.slots = slots;
    this.stream = records;
    const isWithin = offset > records[0].offset;
    if (state !== null) writeState(module, state);
    if (state === null || !isWithin) {
      const { reference } = records[recordAt(records, offset)] as TraceRecordBytes;
      module.startStream(reference, isWithin, state !== null);
    }
    module.expectMarks(markFrom(state === null ? offset : part.cut), markFrom(part.cut));
  }

  /** Returns the offset where decoding stopped. */
  private decodeStream({ stream, offset: start }: Position, { streams, read }: CpuStreams): number {
    const { module, window } = this;
    const records = streams[stream] as Stream;
    const end = endOf(records);
    let windowBytes = WINDOW_BYTES;
    let offset = start;
    for (;;) {
      const bytes = Math.min(windowBytes, end - offset);
      const isLast = offset + bytes === end;
      read(records, offset, new Uint8Array(module.memory.buffer, window, bytes));
      const consumed = module.decodeWindow(window, bytes, BigInt(offset), isLast);
      offset += consumed;
      if (consumed > 0 && module.hasStopped()) return offset;
      if (isLast) return end;
      windowBytes = consumed === 0 ? MAX_LOOK_AHEAD : WINDOW_BYTES;
    }
  }

  /** The position where decoding goes on; null: nowhere. */
  private restAt(offset: number, stream: number, { lastStream }: Part, streams: readonly Stream[]): Position | null {
    if (offset < endOf(streams[stream] as Stream)) return { stream, offset, state: this.state() };
    if (stream === lastStream) return null;
    return { stream: stream + 1, offset: (streams[stream + 1] as Stream)[0].offset, state: this.state() };
  }

  private state(): Uint8Array {
    const { module } = this;
    return new Uint8Array(module.memory.buffer, module.saveState(), module.stateBytes()).slice();
  }

  private found(rest: Position | null, bytes: number): DecodedPart {
    const { module } = this;
    if (this.inBundles) module.bundleRuns();
    return {
      events: this.events(),
      runs: this.column(COLUMN_RUNS),
      errors: this.column(COLUMN_FAULTS),
      marks: this.column(COLUMN_MARKS),
      stateBytes: module.stateBytes(),
      sites: this.newSites(),
      isAtCut: module.stoppedAtCut(),
      lastUnsure: Number(module.lastUnsure()),
      firstEvent: module.firstEvent(),
      rest,
      bytes,
    };
  }

  private events(): Int32Array {
    const { module } = this;
    const column = this.inBundles ? COLUMN_BUNDLES : COLUMN_EVENTS;
    const length = module.columnBytes(column) / Int32Array.BYTES_PER_ELEMENT;
    return new Int32Array(module.memory.buffer, module.columnStart(column), length);
  }

  private newSites(): DecoderSites {
    const first = this.knownSites;
    const rows = this.column(COLUMN_SITES, first * SITE_BYTES);
    this.knownSites += rows.byteLength / SITE_BYTES;
    return { first, rows };
  }

  /** What was counted in the last part: rows as wasm/layout.ts has them. */
  counts(): DataView {
    return this.column(COLUMN_COUNTS);
  }

  /** A copy. */
  private column(column: number, from = 0): DataView {
    const { module } = this;
    const start = module.columnStart(column) + from;
    const bytes = module.columnBytes(column) - from;
    return new DataView(new Uint8Array(module.memory.buffer, start, bytes).slice().buffer);
  }
}

const NO_OFFSET = 2n ** 64n - 1n;

function markFrom(offset: number): bigint {
  return Number.isFinite(offset) ? BigInt(offset) : NO_OFFSET;
}

function writeState(module: DecoderModule, state: Uint8Array): void {
  new Uint8Array(module.memory.buffer, module.stateSpace(), state.length).set(state);
  module.loadState();
}

function writeSlots(module: DecoderModule, slots: readonly Slot[]): void {
  const start = module.writeSchedule(slots.length * SLOT_BYTES);
  const view = new DataView(module.memory.buffer, start);
  slots.forEach(({ tick, image, isAtSwitch }, row) => {
    view.setBigUint64(row * SLOT_BYTES + SLOT_TICK, tick, true);
    view.setUint32(row * SLOT_BYTES + SLOT_IMAGE, image, true);
    view.setUint32(row * SLOT_BYTES + SLOT_AT_SWITCH, Number(isAtSwitch === true), true);
  });
}

function writeChanges(module: DecoderModule, changes: readonly CodeChange[]): void {
  const start = module.writeChanges(changes.length * CHANGE_BYTES);
  const view = new DataView(module.memory.buffer, start);
  changes.forEach(({ tick, start, bytes }, row) => {
    view.setBigUint64(row * CHANGE_BYTES + CHANGE_TICK, tick, true);
    view.setBigInt64(row * CHANGE_BYTES + CHANGE_START, BigInt(start), true);
    view.setBigInt64(row * CHANGE_BYTES + CHANGE_END, BigInt(start + bytes.length), true);
  });
}

function writeCountsAt(module: DecoderModule, times: Float64Array): void {
  const start = module.writeWatched(times.byteLength);
  new Float64Array(module.memory.buffer, start, times.length).set(times);
}

function writeRecords(module: DecoderModule, stream: Stream): void {
  const start = module.writeRecords(stream.length * RECORD_BYTES);
  const view = new DataView(module.memory.buffer, start);
  stream.forEach(({ offset, sizeBytes, reference }, row) => {
    view.setBigUint64(row * RECORD_BYTES + RECORD_END, BigInt(offset + sizeBytes), true);
    view.setBigUint64(row * RECORD_BYTES + RECORD_REFERENCE, reference, true);
  });
}

/**
 * Reads bundles of events (model/trace/event-runs.ts) with the compiled module (src/trace/wasm).
 */
import {
  BUNDLE_HEAD_LENGTH,
  bundleEnd,
  bundleEvents,
  bundleSites,
  bundleStartNs,
  MAX_BUNDLE_EVENTS,
  MAX_BYTE_SITES,
  padded,
} from '../../model/trace/event-runs.js';
import type { RowSpace } from '../../model/trace/thread-events.js';
import { ownMemory, PAGE_BYTES, WasmModule } from '../../wasm/module.js';
import { TRACE_BASE64 } from '../wasm.generated.js';

interface BundleModule {
  readSites(rows: number, rowBytes: number, sites: number, events: number, to: number): void;
  readTimes(times: number, startNs: number, events: number, to: number): void;
}

const MODULE = new WasmModule<BundleModule>(TRACE_BASE64);

/** Sites and rows of a bundle, or its times: six bytes an event at most. */
const SITES_AT = 6 * MAX_BUNDLE_EVENTS;
const TIMES_AT = SITES_AT + 4 * MAX_BUNDLE_EVENTS;
const SPARE_BYTES = 24;
const MEMORY_BYTES = TIMES_AT + 8 * MAX_BUNDLE_EVENTS + SPARE_BYTES;

/** Columns for as many events as a bundle can have, in the memory of a module that reads bundles into them. */
export class BundleColumns implements RowSpace {
  readonly site: Uint32Array;
  readonly siteAt = 0;
  readonly timeNs: Float64Array;
  readonly timeAt = 0;
  private readonly stored: Uint8Array;
  private readonly module: BundleModule;

  constructor() {
    const memory = ownMemory(Math.ceil(MEMORY_BYTES / PAGE_BYTES));
    this.stored = new Uint8Array(memory.buffer, 0, SITES_AT);
    this.site = new Uint32Array(memory.buffer, SITES_AT, MAX_BUNDLE_EVENTS);
    this.timeNs = new Float64Array(memory.buffer, TIMES_AT, MAX_BUNDLE_EVENTS);
    this.module = MODULE.start(memory);
  }

  /** Reads a bundle into rows from `row` on: all its events fit. */
  read(run: Int32Array, at: number, row: number): void {
    this.readSites(run, at, row);
    this.readTimes(run, at, row);
  }

  /** Reads its sites alone. */
  readSites(run: Int32Array, at: number, row: number): void {
    const events = bundleEvents(run, at);
    const siteBytes = bundleSites(run, at).byteLength;
    const rowBytes = rowBytesOf(run, at);
    this.store(run, at + BUNDLE_HEAD_LENGTH, siteBytes + rowBytes * events);
    this.module.readSites(siteBytes, rowBytes, 0, events, SITES_AT + 4 * row);
  }

  /** Reads its times alone. */
  readTimes(run: Int32Array, at: number, row: number): void {
    const events = bundleEvents(run, at);
    const start =
      at + BUNDLE_HEAD_LENGTH + (bundleSites(run, at).byteLength + padded(rowBytesOf(run, at) * events)) / 4;
    this.store(run, start, 4 * (bundleEnd(run, at) - start));
    this.module.readTimes(0, bundleStartNs(run, at), events, TIMES_AT + 8 * row);
  }

  private store(run: Int32Array, from: number, bytes: number): void {
    this.stored.set(new Uint8Array(run.buffer, run.byteOffset + 4 * from, bytes));
  }
}

function rowBytesOf(run: Int32Array, at: number): 1 | 2 {
  return bundleSites(run, at).length <= MAX_BYTE_SITES ? 1 : 2;
}

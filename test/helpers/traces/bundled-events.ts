/**
 * Writes bundles as the decoder does, and reads them as replay does.
 */
import { expect } from 'vitest';
import { newDecoderModule } from '../../../src/decode/decoder-module.js';
import { COLUMN_BUNDLES } from '../../../src/decode/wasm/layout.js';
import { bundleEnd, bundleEvents, MAX_BUNDLE_EVENTS, RunsBuilder } from '../../../src/model/trace/event-runs.js';
import { BundleColumns } from '../../../src/trace/lanes/bundles.js';

const columns = new BundleColumns();

/** Returns a run of these events, without bundles. */
export function plainRun(events: Iterable<{ readonly site: number; readonly timeNs: number }>): Int32Array {
  const runs = new RunsBuilder();
  for (const { site, timeNs } of events) runs.add(1, 0, site, timeNs);
  return runs.build()[0]?.events ?? new Int32Array();
}

/** Returns the events of the bundles in a range of numbers. */
export function bundledEvents(run: Int32Array, from: number, end: number): { site: number[]; timeNs: number[] } {
  const site: number[] = [];
  const timeNs: number[] = [];
  for (let at = from; at < end; at = bundleEnd(run, at)) {
    columns.read(run, at, 0);
    for (let row = 0; row < bundleEvents(run, at); row++) {
      site.push(columns.site[row] as number);
      timeNs.push(columns.timeNs[row] as number);
    }
  }
  return { site, timeNs };
}

/** Sites of tests are below it. */
const MAX_SITE = 50_000;

/** Bundles as the decoder writes them. */
export class Bundles {
  private readonly module = newDecoderModule(
    () => 0,
    () => false,
    () => 0,
  );
  private readonly space = this.module.space(16 * (2 * MAX_BUNDLE_EVENTS + 5));

  /** Returns the length of its bundles. */
  add(run: Int32Array): number {
    new Int32Array(this.module.memory.buffer, this.space).set(run);
    return this.module.bundleRun(this.space, run.byteLength, MAX_SITE) / 4;
  }

  /** Returns all since the last time. */
  take(): Int32Array {
    const { module } = this;
    const length = module.columnBytes(COLUMN_BUNDLES) / 4;
    const written = new Int32Array(module.memory.buffer, module.columnStart(COLUMN_BUNDLES), length).slice();
    module.bundleRuns(); // there are none
    return written;
  }
}

const bundles = new Bundles();

/** Returns the bundles of a run. */
export function bundlesOf(run: Int32Array): Int32Array {
  const length = bundles.add(run);
  const written = bundles.take();
  expect(length).toBe(written.length);
  return written;
}

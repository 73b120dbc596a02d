/**
 * Lanes read in batches equal those that replay reads, and bundles and blocks are decoded to what was encoded.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { MAX_BLOCK_EVENTS, type PackedThread } from '../../src/codec/block-head.js';
import { openPath } from '../../src/host/files.js';
import { type BranchSites, RECORD_SITES } from '../../src/model/trace/branch-sites.js';
import {
  bundleEnd,
  bundleEndNs,
  bundleSites,
  bundleStartNs,
  MAX_BUNDLE_EVENTS,
} from '../../src/model/trace/event-runs.js';
import { EventPacker, expectedSites, packedEvents } from '../../src/trace/blocks.js';
import { EventMemory } from '../../src/trace/event-memory.js';
import { LaneReader, type LaneRuns, MAX_JITTER_NS, OutOfOrder } from '../../src/trace/lanes/lane.js';
import { times } from '../helpers/random/times.js';
import { Bundles, bundledEvents, bundlesOf, plainRun } from '../helpers/traces/bundled-events.js';

const directory = mkdtempSync(join(tmpdir(), 'ptflame-packed-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

interface Event {
  readonly site: number;
  readonly timeNs: number;
}

/** More than two bytes can number; targets are unrelated to origins. */
const SITES = 40_000;
const sites = {
  length: SITES + RECORD_SITES,
  from: Float64Array.from({ length: SITES + RECORD_SITES }, (_, site) => site * 3 - 50_000),
  to: Float64Array.from({ length: SITES + RECORD_SITES }, (_, site) => ((site * 7919) % 200_000) - 60_000),
} as Pick<BranchSites, 'length' | 'from' | 'to'>;

const step = fc.oneof(
  fc.constantFrom(
    0,
    1,
    126,
    127,
    128,
    254,
    255,
    256,
    16_383,
    16_384,
    2 ** 30 - 1,
    2 ** 30,
    2 ** 30 + 1,
    -1,
    -500,
    -2_000_000,
    1e12,
    2 ** 46,
  ),
  fc.integer({ min: 0, max: 200 }),
);
const eventSteps = fc.array(fc.record({ site: fc.nat(SITES - 1), step }), { minLength: 1, maxLength: 60 });

function eventsOf(steps: readonly { readonly site: number; readonly step: number }[], startNs: number): Event[] {
  let timeNs = startNs;
  return steps.map(({ site, step }) => ({ site: site + RECORD_SITES, timeNs: (timeNs += step) }));
}

const lane = fc.record({
  steps: eventSteps,
  startNs: fc.nat(5_000_000),
  cuts: fc.oneof(fc.integer({ min: 1, max: 20 }), fc.integer({ min: 30, max: 60 })),
  /** Which of its runs are bundles. */
  bundled: fc.constantFrom<readonly boolean[]>([false], [true], [true, false], [false, false, true]),
});

function runOf(events: readonly Event[], isBundled: boolean): Int32Array {
  return isBundled ? bundlesOf(plainRun(events)) : plainRun(events);
}

const bundles = new Bundles();

function readBundles(run: Int32Array): Event[] {
  const events: Event[] = [];
  for (let at = 0; at < run.length; at = bundleEnd(run, at)) {
    const { site, timeNs: times } = bundledEvents(run, at, bundleEnd(run, at));
    const isOrdered = times.every((timeNs, row) => row === 0 || timeNs >= (times[row - 1] ?? 0));
    const isBounded = times[0] === bundleStartNs(run, at) && times.at(-1) === bundleEndNs(run, at);
    const sites = [...new Set(site)];
    const isListed =
      sites.length === bundleSites(run, at).length && sites.every((s, row) => s === bundleSites(run, at)[row]);
    if (!isOrdered || !isBounded || !isListed) throw new Error('a bundle whose head does not fit its events');
    for (const [row, timeNs] of times.entries()) events.push({ site: site[row] ?? 0, timeNs });
  }
  return events;
}

test('reads the events that were written to bundles', () => {
  fc.assert(
    fc.property(fc.array(fc.record({ steps: eventSteps, startNs: fc.nat(5_000_000) }), { minLength: 1 }), (inputs) => {
      const all = inputs.map(({ steps, startNs }) => eventsOf(steps, startNs));
      for (const events of all) bundles.add(runOf(events, false));
      expect(readBundles(bundles.take())).toEqual(all.flat());
    }),
    { numRuns: times(400) },
  );
});

test('numbers sites anew after many bundles', () => {
  const all = Array.from({ length: 2 ** 15 + 100 }, (_, at) => eventsOf([{ site: at % 3, step: 0 }], at));
  for (const events of all) bundles.add(runOf(events, false));
  expect(readBundles(bundles.take())).toEqual(all.flat());
});

test.each([
  ['few sites', 256, 0],
  ['one more', 257, 0],
  ['many sites', SITES, 3],
  ['a time of its own each', 10, 1],
])('writes more events than a bundle has: %s', (_, sites, step) => {
  const steps = Array.from({ length: 2 * MAX_BUNDLE_EVENTS + 5 }, (_, at) => ({ site: (at * 7919) % sites, step }));
  const events = eventsOf(steps, 1e9);
  const run = bundlesOf(runOf(events, false));
  expect(readBundles(run)).toEqual(events);
  if (sites < 300) expect(run.byteLength).toBeLessThan(events.length * 3.1);
});

interface Range {
  readonly events: readonly Event[];
  readonly input: string;
}

/** Divides events where time steps back far. */
function rangesOf(events: readonly Event[]): Event[][] {
  const ranges: Event[][] = [];
  events.forEach((event, row) => {
    if (row === 0 || event.timeNs < (events[row - 1] as Event).timeNs - MAX_JITTER_NS) ranges.push([]);
    ranges.at(-1)?.push(event);
  });
  return ranges;
}

function byTimeThenInput(a: Range, b: Range): number {
  const timeOf = ({ events }: Range, at: number) => events.at(at)?.timeNs ?? 0;
  return timeOf(a, 0) - timeOf(b, 0) || timeOf(a, -1) - timeOf(b, -1) || (a.input < b.input ? -1 : 1);
}

test('reads a lane in batches, its ranges by time, spilled or not', () => {
  fc.assert(
    fc.property(fc.array(lane, { minLength: 1, maxLength: 4 }), fc.boolean(), (inputs, isSpilled) => {
      const memory = new EventMemory({ memoryBytes: 0, directory: null });
      const runs = inputs.map(({ steps, startNs, cuts, bundled }, at): LaneRuns => {
        const lane = {
          cpu: 0,
          input: `input${(at * 7) % 5}`,
          addresses: [] as number[],
          lengths: [] as number[],
          events: [] as number[],
        };
        const events = eventsOf(steps, startNs);
        for (let row = 0; row < events.length; row += cuts) {
          const run = runOf(events.slice(row, row + cuts), bundled[(row / cuts) % bundled.length] === true);
          lane.addresses.push(memory.add(run));
          lane.lengths.push(run.length);
          lane.events.push(Math.min(cuts, events.length - row));
        }
        if (!isSpilled) return lane;
        const length = lane.lengths.reduce((sum, length) => sum + length, 0);
        return {
          ...lane,
          addresses: [memory.spill(lane.addresses, lane.lengths)],
          lengths: [length],
          events: [events.length],
        };
      });
      memory.clear();
      const read = (isInOrder: boolean) => {
        const events: (number | undefined)[][] = [];
        for (const { length, site, timeNs, bounds } of new LaneReader(runs, memory.shared(), isInOrder).from()) {
          const times = timeNs.slice(0, length);
          if (bounds)
            expect([bounds.startNs, ...times.toSorted(), bounds.endNs]).toEqual([times[0], ...times, times.at(-1)]);
          for (let row = 0; row < length; row++) events.push([site[row], timeNs[row]]);
        }
        return events;
      };
      const inBatches = read(false);
      const ranges = inputs.flatMap(({ steps, startNs }, at) =>
        rangesOf(eventsOf(steps, startNs)).map((events) => ({ events, input: runs[at]?.input ?? '' })),
      );
      ranges.sort(byTimeThenInput);
      expect(inBatches).toEqual(ranges.flatMap(({ events }) => events.map(({ site, timeNs }) => [site, timeNs])));
      if (inputs.length === 1 && ranges.length > 1) expect(() => read(true)).toThrow(OutOfOrder);
      else expect(read(true)).toEqual(inBatches);
      memory.close();
    }),
    { numRuns: times(400) },
  );
});

test('reads bundles in batches that have no space for all of them', () => {
  const memory = new EventMemory({ memoryBytes: 0, directory: null });
  const lane = { cpu: 0, input: 'input', addresses: [] as number[], lengths: [] as number[], events: [] as number[] };
  const all = [70_000, 40_000, 60_000, 10].map((length, row) =>
    eventsOf(
      Array.from({ length }, (_, at) => ({ site: at % 1000, step: at % 3 })),
      1e9 * (row + 1),
    ),
  );
  for (const [row, events] of all.entries()) {
    const run = runOf(events, row > 0);
    lane.addresses.push(memory.add(run));
    lane.lengths.push(run.length);
    lane.events.push(events.length);
  }
  const read: Event[] = [];
  for (const { length, site, timeNs } of new LaneReader([lane], memory.shared()).from())
    for (let row = 0; row < length; row++) read.push({ site: site[row] ?? 0, timeNs: timeNs[row] ?? 0 });
  memory.close();
  expect(read).toEqual(all.flat());
});

/** Encodes lanes, by CPU, and reads them back from a file. */
function packAndRead(lanes: readonly (readonly Event[])[]): Event[][] {
  const expected = expectedSites(sites);
  const rankOf = Uint32Array.from({ length: sites.length }, (_, site) => site);
  const packer = new EventPacker({ rankOf, expected, originNs: 0 });
  packer.begin(7);
  const packed = lanes.flatMap((events, cpu) => [...packer.add(cpu, columnsOf(events))]);
  packed.push(...packer.finish());
  let offset = 0;
  const blocks = packed.map(({ data, ...block }) => {
    const bytes = data.length;
    offset += bytes;
    return { ...block, offset: offset - bytes, bytes, inflatedBytes: bytes, crc: crc32(data) };
  });
  const path = join(directory, 'blocks');
  writeFileSync(path, Buffer.concat(packed.map(({ data }) => data)));
  const thread: PackedThread = { tid: 7, lanes: lanes.map(({ length }, cpu) => ({ cpu, events: length })), blocks };
  const file = openPath(path);
  const read = lanes.map((): Event[] => []);
  for (const { cpu, length, site, timeNs } of packedEvents(thread, { ref: file.ref, expected }))
    for (let row = 0; row < length; row++)
      read[cpu]?.push({ site: site[row] as number, timeNs: timeNs[row] as number });
  file.close();
  return read;
}

function columnsOf(events: readonly Event[]) {
  const site = Uint32Array.from(events, ({ site }) => site);
  return { length: events.length, site, timeNs: Float64Array.from(events, ({ timeNs }) => timeNs) };
}

test('decodes lanes to what was encoded, whatever their sites and times', () => {
  fc.assert(
    fc.property(fc.array(lane, { minLength: 1, maxLength: 4 }), (inputs) => {
      const lanes = inputs.map(({ steps, startNs }) => eventsOf(steps, startNs));
      expect(packAndRead(lanes)).toEqual(lanes);
    }),
    { numRuns: times(400) },
  );
});

test('splits events over several blocks, also in the middle of a CPU', () => {
  const lanes = [1.4, 0.3, 1.5].map((blocks, cpu) =>
    eventsOf(
      Array.from({ length: Math.floor(blocks * MAX_BLOCK_EVENTS) }, (_, at) => ({
        site: (at * 31) % SITES,
        step: at % 150,
      })),
      cpu * 1000,
    ),
  );
  const read = packAndRead(lanes);
  for (const [cpu, lane] of lanes.entries()) {
    expect(read[cpu]?.length).toBe(lane.length);
    expect(read[cpu]?.every(({ site, timeNs }, row) => site === lane[row]?.site && timeNs === lane[row]?.timeNs)).toBe(
      true,
    );
  }
});

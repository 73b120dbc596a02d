/**
 * Lanes read in batches equal those that replay reads, and blocks are decoded to what was encoded.
 */
import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { type BranchSites, RECORD_SITES } from '../../src/model/trace/branch-sites.js';
import { RunBuilder } from '../../src/model/trace/event-run.js';
import { MAX_BLOCK_EVENTS, type PackedThread } from '../../src/model/trace/packed-thread.js';
import { decodeLanes } from '../../src/store/blocks/decode-blocks.js';
import { expectedSites } from '../../src/store/blocks/event-code.js';
import { EventPacker } from '../../src/store/blocks/pack-events.js';
import { type LaneRuns, readLane } from '../../src/store/lanes/lane.js';
import { laneEvents } from '../../src/store/lanes/lane-events.js';
import { EventMemory } from '../../src/store/runs/event-memory.js';

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
    16_383,
    16_384,
    2 ** 30 - 1,
    2 ** 30,
    2 ** 30 + 1,
    -1,
    -500,
    -2_000_000,
    1e12,
    2 ** 54,
  ),
  fc.integer({ min: 0, max: 200 }),
);
const eventSteps = fc.array(fc.record({ site: fc.nat(SITES - 1), step }), { minLength: 1, maxLength: 60 });

function eventsOf(steps: readonly { readonly site: number; readonly step: number }[], startNs: number): Event[] {
  let timeNs = startNs;
  return steps.map(({ site, step }) => ({ site: site + RECORD_SITES, timeNs: (timeNs += step) }));
}

const lane = fc.record({ steps: eventSteps, startNs: fc.nat(5_000_000), cuts: fc.integer({ min: 1, max: 20 }) });

test('reads the same lane in batches as at once, spilled or not', () => {
  fc.assert(
    fc.property(fc.array(lane, { minLength: 1, maxLength: 4 }), fc.boolean(), (inputs, isSpilled) => {
      const memory = new EventMemory({ memoryBytes: 0, directory: null });
      const runs = inputs.map(({ steps, startNs, cuts }, at): LaneRuns => {
        const lane = { cpu: 0, input: `input${(at * 7) % 5}`, addresses: [] as number[], lengths: [] as number[] };
        const events = eventsOf(steps, startNs);
        for (let row = 0; row < events.length; row += cuts) {
          const run = new RunBuilder();
          for (const { site, timeNs } of events.slice(row, row + cuts)) run.add(site, timeNs);
          lane.addresses.push(memory.add(run.build()));
          lane.lengths.push(run.build().length);
        }
        if (!isSpilled) return lane;
        const length = lane.lengths.reduce((sum, length) => sum + length, 0);
        return { ...lane, addresses: [memory.spill(lane.addresses, lane.lengths)], lengths: [length] };
      });
      memory.clear();
      const count = inputs.reduce((sum, { steps }) => sum + steps.length, 0);
      const rows = { site: new Uint32Array(count), timeNs: new Float64Array(count) };
      const whole = readLane(runs, memory.shared(), rows, 0);
      const inBatches: number[][] = [];
      for (const { length, site, timeNs } of laneEvents(runs, memory.shared()))
        for (let row = 0; row < length; row++) inBatches.push([site[row], timeNs[row]]);
      memory.close();
      expect(inBatches).toEqual(Array.from(whole.site, (site, row) => [site, whole.timeNs[row]]));
    }),
    { numRuns: 200 },
  );
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
  const count = lanes.reduce((sum, { length }) => sum + length, 0);
  const rows = { site: new Uint32Array(count), timeNs: new Float64Array(count) };
  const fd = openSync(path, 'r');
  const read = decodeLanes(thread, { fd, expected }, rows);
  closeSync(fd);
  return read.map(({ site, timeNs }) => Array.from(site, (_, row) => ({ site: site[row], timeNs: timeNs[row] })));
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
    { numRuns: 300 },
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

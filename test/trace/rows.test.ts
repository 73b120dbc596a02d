/**
 * Rows that do not fit into memory are read again when they are needed: each is what it would be in memory, whatever was
 * read before it.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { SwitchKind } from '../../src/model/sample-table.js';
import { TraceEdge } from '../../src/model/trace/branch-sites.js';
import type { ThreadEvents } from '../../src/model/trace/thread-events.js';
import { EventMemory } from '../../src/trace/event-memory.js';
import { LaneReader, type Slices, slicesWithin, type ThreadSlice } from '../../src/trace/lanes/lane.js';
import { MergedLanes } from '../../src/trace/lanes/merge-lanes.js';
import { loadThread, threadBytes } from '../../src/trace/load-thread.js';
import { everyNth } from '../helpers/random/times.js';
import { traceFiles } from '../helpers/traces/all-fixtures.js';
import { bundlesOf, plainRun } from '../helpers/traces/bundled-events.js';
import { beginningOf, inputOf } from '../helpers/traces/load.js';
import { MemoryFile, threadEvents } from '../helpers/traces/thread-events.js';
import { threadsOfInput } from '../helpers/traces/threads-of.js';

/** From one page of each lane and one of merged events on. */
const SIZES = [
  { pageRows: 4, mostBytes: 0 },
  { pageRows: 16, mostBytes: 2000 },
  { pageRows: 64, mostBytes: 10_000 },
] as const;

/** Forwards, backwards, and back and forth. */
function visits(rows: number): number[] {
  const forwards = Array.from({ length: rows }, (_, row) => row);
  const leaps = forwards.filter((row) => row % 7 === 0).map((row) => (row * 7919) % rows);
  return [...forwards, ...leaps, ...forwards.toReversed(), ...leaps.flatMap((row) => [row, rows - 1 - row])];
}

const rowsAt = (events: ThreadEvents, rows: readonly number[]) =>
  rows.flatMap((row) => [events.siteAt(row), events.timeAt(row)]);

describe.each(
  everyNth(traceFiles, 3, 2).map(
    (path, index) => [path, SIZES[index % SIZES.length] as (typeof SIZES)[number]] as const,
  ),
)('%s', (path, sizes) => {
  test('has the same rows', async () => {
    const load = () => inputOf(beginningOf(path.replace('fixtures/', '')));
    const inMemory = await threadsOfInput(load());
    const file = new MemoryFile();
    const { threads } = await threadsOfInput(load(), sizes, file);
    for (const [at, { events, ...facts }] of inMemory.threads.entries()) {
      const { events: read, ...readFacts } = threads[at] as (typeof threads)[number];
      expect(readFacts).toEqual(facts);
      expect(read.length).toBe(events.length);
      const rows = visits(events.length);
      expect(rowsAt(read, rows)).toEqual(rowsAt(events, rows));
    }
    expect(file.pages).toHaveLength(0);
  });
});

/** Each slice, and what is read from its place on, as far as the next slices. */
function expectReadAgain<Place>(slices: Slices<Place>): void {
  const all = [];
  for (const slice of slices.from()) all.push({ place: slice.place, ...copied(slice) }); // while it is valid
  for (const [at, { place }] of all.entries()) {
    const following = slices.from(place as Place);
    for (const { place: _, ...slice } of all.slice(at, at + 3)) {
      const { value } = following.next();
      expect({ ...copied(value), place: undefined }).toEqual({ ...slice, place: undefined });
    }
  }
}

function copied(slice: Omit<ThreadSlice, 'place'>) {
  const { cpu, site, siteAt, timeNs, timeAt, length } = slice;
  return { cpu, site: [...site.slice(siteAt, siteAt + length)], timeNs: [...timeNs.slice(timeAt, timeAt + length)] };
}

test('lanes are merged alike from any slice on, however their stays overlap', () => {
  /** In microseconds: stays overlap by less and by more than clocks may differ. */
  const stay = fc.record({ pauseUs: fc.nat(400), stepsUs: fc.array(fc.nat(40), { maxLength: 12 }) });
  fc.assert(
    fc.property(fc.array(fc.array(stay, { minLength: 1, maxLength: 8 }), { minLength: 2, maxLength: 4 }), (all) => {
      const lanes = all.map((stays, cpu) => {
        const [site, timeNs]: [number[], number[]] = [[], []];
        let atNs = 0;
        for (const { pauseUs, stepsUs } of stays) {
          const steps = [pauseUs, ...stepsUs, 1];
          for (const [index, us] of steps.entries()) {
            site.push(index === 0 ? 1 : index === steps.length - 1 ? 2 : 0);
            timeNs.push((atNs += 1000 * us));
          }
        }
        return { cpu, events: threadEvents(1, site, timeNs, { pageRows: 4, slots: 2 }), start: 0, length: site.length };
      });
      const edge = Uint8Array.of(TraceEdge.None, TraceEdge.Begin, TraceEdge.End);
      expectReadAgain(new MergedLanes(lanes, { edge }, true));
    }),
  );
});

test('a lane is read alike from any batch on', () => {
  const memory = new EventMemory({ memoryBytes: 2 ** 24, directory: null });
  const lane = { cpu: 3, input: 'input', addresses: [] as number[], lengths: [] as number[], events: [] as number[] };
  for (let run = 0; run < 4; run++) {
    const events = Array.from({ length: 12_000 }, (_, row) => ({ site: row % 100, timeNs: 1e6 * run + 7 * row }));
    const numbers = plainRun(events);
    lane.addresses.push(memory.add(numbers));
    lane.lengths.push(numbers.length);
    lane.events.push(events.length);
  }
  expectReadAgain(new LaneReader([lane], memory.shared()));
  memory.close();
});

test('of a time without events, a lane has no slice: a lane without events would be on a CPU', () => {
  const slice = (...times: number[]): ThreadSlice => ({
    ...{ cpu: 3, place: null, site: new Uint32Array(times.length), siteAt: 0, length: times.length },
    ...{ timeNs: Float64Array.from(times), timeAt: 0 },
  });
  const within = (startNs: number, endNs: number) =>
    [...slicesWithin([slice(1, 2), slice(3, 50, 60), slice(70)], { startNs, endNs })].map(({ length }) => length);
  expect(within(10, 20)).toEqual([]);
  expect(within(61, 65)).toEqual([]);
  expect(within(2, 50)).toEqual([1, 1]);
  expect(within(80, 90)).toEqual([]);
});

/** How runs of events are stored, and which pages are read again. */
function loadedFrom(
  events: readonly { readonly site: number; readonly timeNs: number }[],
  switchesNs: readonly number[],
  { runEvents, isBundled, sizes }: { runEvents: number; isBundled: boolean; sizes: (typeof SIZES)[number] | null },
) {
  const memory = new EventMemory({ memoryBytes: 0, directory: null });
  const lane = { cpu: 0, input: 'input', addresses: [] as number[], lengths: [] as number[], events: [] as number[] };
  for (let row = 0; row < events.length; row += runEvents) {
    const run = plainRun(events.slice(row, row + runEvents));
    const numbers = isBundled ? bundlesOf(run) : run;
    lane.addresses.push(memory.add(numbers));
    lane.lengths.push(numbers.length);
    lane.events.push(Math.min(runEvents, events.length - row));
  }
  const timeNs = Float64Array.from(switchesNs).sort();
  const kind = new Uint8Array(timeNs.length).fill(SwitchKind.In);
  const switches = { length: timeNs.length, timeNs, kind };
  const own = { packed: null, around: null, records: [], unownedGaps: [], isIdleTask: false, recordingStartNs: 0 };
  const source = { tid: 1, events: events.length, lanes: [[lane]], switches, ...own };
  const used = sizes ?? { pageRows: 1024, mostBytes: Number.POSITIVE_INFINITY };
  const buffer = new ArrayBuffer(threadBytes(source, used));
  const edge = new Uint8Array(100).fill(TraceEdge.None);
  const space = { ...used, buffer, file: new MemoryFile(), pairedPages: 1 };
  const { events: loaded, clockSteps } = loadThread(source, memory.shared(), { edge }, space);
  const rows = rowsAt(loaded, visits(loaded.length));
  memory.close();
  return { rows, clockSteps };
}

test('rows of bundles are those of single events, also among switches and where times step back', () => {
  const step = fc.oneof(
    { weight: 100, arbitrary: fc.nat(3) },
    { weight: 50, arbitrary: fc.nat(600) },
    { weight: 1, arbitrary: fc.constant(-700) },
  );
  fc.assert(
    fc.property(
      fc.array(fc.record({ site: fc.integer({ min: 20, max: 99 }), step }), {
        minLength: 1,
        maxLength: 400,
        size: 'max',
      }),
      fc.array(fc.nat(20_000), { maxLength: 3 }),
      fc.integer({ min: 10, max: 150 }),
      fc.constantFrom(...SIZES, null),
      (steps, switchesNs, runEvents, sizes) => {
        let timeNs = 1000;
        const events = steps.map(({ site, step }) => ({ site, timeNs: (timeNs += step) }));
        const single = loadedFrom(events, switchesNs, { runEvents, isBundled: false, sizes: null });
        expect(loadedFrom(events, switchesNs, { runEvents, isBundled: true, sizes })).toEqual(single);
      },
    ),
    { numRuns: 300 },
  );
});

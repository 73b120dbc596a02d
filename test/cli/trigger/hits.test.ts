import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { HitReader, type WatcherRecord } from '../../../cli/record/trigger/hits.js';
import { record, u32 } from '../../helpers/perf/perf-data.js';
import {
  hit,
  lostHits,
  programBegins,
  streamHead,
  threadBegins,
  threadEnds,
} from '../../helpers/perf/watcher-stream.js';

const STREAM = Buffer.concat([
  streamHead(2),
  threadBegins(5, 8),
  hit({ event: 0, pid: 5, tid: 8, ns: 1000, sp: 0x7ffd_0000_0010 }),
  record(68, 0, Buffer.alloc(8)), // FINISHED_ROUND, which says nothing here
  record(66, 0, u32(13), u32(0)), // TRACING_DATA, which follows its record, padded to 8 bytes
  Buffer.alloc(16, 9),
  hit({ event: 1, pid: 5, tid: 8, ns: 2000, sp: 0x7ffd_0000_0010 }),
  lostHits(3),
  programBegins(6),
  threadEnds(5, 8),
]);

const RECORDS: readonly WatcherRecord[] = [
  { kind: 'begin', tid: 8 },
  { kind: 'hit', event: 0, pid: 5, tid: 8, timeNs: 1000, stackPointer: 0x7ffd_0000_0010 },
  { kind: 'hit', event: 1, pid: 5, tid: 8, timeNs: 2000, stackPointer: 0x7ffd_0000_0010 },
  { kind: 'lost', count: 3 },
  { kind: 'exec', pid: 6 },
  { kind: 'end', tid: 8 },
];

function read(...chunks: readonly Buffer[]): WatcherRecord[] {
  const records: WatcherRecord[] = [];
  const reader = new HitReader((each) => records.push(each));
  for (const chunk of chunks) reader.add(chunk);
  return records;
}

describe('the watcher’s stream', () => {
  test('has hits, threads and losses', () => {
    expect(read(STREAM)).toEqual(RECORDS);
  });

  test('is the same in any pieces', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: STREAM.length })), (cuts) => {
        const at = [0, ...cuts.sort((a, b) => a - b), STREAM.length];
        expect(read(...at.slice(1).map((end, row) => STREAM.subarray(at[row], end)))).toEqual(RECORDS);
      }),
    );
  });

  test('that is damaged ends nothing: what cannot be read is left out', () => {
    const bytes = fc.array(fc.tuple(fc.nat(STREAM.length - 1), fc.nat(255)), { minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(bytes, (changes) => {
        const damaged = Buffer.from(STREAM);
        for (const [at, value] of changes) damaged[at] = value;
        expect(read(damaged).length).toBeLessThanOrEqual(STREAM.length / 8);
      }),
    );
  });

  test('of something else has none', () => {
    expect(read(Buffer.from('ERROR: no such event\n'.repeat(10)))).toEqual([]);
  });
});

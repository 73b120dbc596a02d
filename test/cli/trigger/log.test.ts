import { readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { type TriggerLine, TriggerLog } from '../../../cli/record/trigger/log.js';
import { Delays, Snapshots } from '../../../cli/record/trigger/snapshots.js';
import { test } from '../../helpers/cli/run-cli.js';

const lineOf = (startNs: number, file: string | null): TriggerLine => ({
  ...{ function: 'f', thread: 1, startNs, endNs: startNs + 1, seenAfterNs: 0 },
  ...{ writtenAfterNs: null, file, before: null, why: file === null ? 'faster' : null },
});

describe('the log of triggers', () => {
  test('loses its older half when it is too long, but for snapshots that are kept', async ({ dir }) => {
    const log = new TriggerLog(dir.path, 10);
    const kept = new Set(['2.data']);
    for (let at = 0; at < 25; at++) log.add(lineOf(at, at < 4 ? `${at}.data` : null), kept);
    const lines = (await dir.read('triggers.jsonl')).trimEnd().split('\n');
    const starts = lines.map((line) => (JSON.parse(line) as TriggerLine).startNs);
    expect(starts).toEqual([2, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24]);
    expect(log.dropped).toBe(9);
    expect(readdirSync(dir.path)).toEqual(['triggers.jsonl']);
  });

  test('is for its owner alone', ({ dir }) => {
    const log = new TriggerLog(dir.path, 2);
    for (let at = 0; at < 9; at++) log.add(lineOf(at, null), new Set());
    expect(statSync(dir.file('triggers.jsonl')).mode & 0o777).toBe(0o600);
  });
});

describe('how late events are known', () => {
  test('counts from the one that came fastest', () => {
    const delays = new Delays();
    delays.add(1000, 5_000_700);
    delays.add(2000, 5_001_200);
    delays.add(3000, 5_002_900);
    expect(delays.since(2000, 5_001_200)).toBe(0);
    expect(delays.since(3000, 5_002_900)).toBe(700);
    expect(delays.onPerfClock(5_001_200)).toBe(2000);
  });

  test('forgets after a minute or two, as clocks drift', () => {
    const delays = new Delays();
    const minute = 60e9;
    delays.add(0, 1000);
    for (let at = 1; at <= 3; at++) delays.add(at * minute, at * minute + 1000 + at * 500);
    expect(delays.since(3 * minute, 3 * minute + 2500)).toBe(500);
  });
});

const COUNT = 100_000;

/** perf writes the head of a recording: its size, and that of its data. */
function snapshotBytes(): Buffer {
  const bytes = Buffer.alloc(168);
  bytes.write('PERFILE2', 'latin1');
  bytes.writeBigUInt64LE(64n, 48);
  return bytes;
}

test('a hundred thousand triggers in eight hours: files, their sizes and descriptors stay few', ({ dir }) => {
  const open = () => readdirSync('/proc/self/fd').length;
  const before = open();
  const bytes = snapshotBytes();
  let nowNs = 0;
  let [dumps, mostFiles, mostBytes] = [0, 0, 0];
  const snapshots: Snapshots = new Snapshots({
    ...{ function: 'f', directory: dir.path, keep: 10, everyNs: 1e10, notify: () => {} },
    order: () => {
      const path = join(dir.path, `snap.${++dumps % 7}`); // names come again
      writeFileSync(path, bytes);
      snapshots.onMessage(`[ perf record: Dump ${path} ]\n`);
      mostFiles = Math.max(mostFiles, readdirSync(dir.path).length);
      mostBytes = Math.max(mostBytes, statSync(dir.file('triggers.jsonl')).size);
      return true;
    },
  });
  const stepNs = (8 * 3600 * 1e9) / COUNT;
  for (let at = 0; at < COUNT; at++) {
    nowNs += stepNs;
    const durationNs = 1e7 + ((at * 48_271) % 999_983) + at * 1000; // slower and slower, so that snapshots go on
    snapshots.delays.add(nowNs, nowNs + 1e6);
    snapshots.onTrigger({ tid: at % 200, startNs: nowNs - durationNs, endNs: nowNs }, nowNs + 1e6);
  }
  snapshots.removeRest();
  expect(snapshots.triggers).toBe(COUNT);
  expect(dumps).toBeGreaterThan(1000);
  expect(snapshots.kept).toHaveLength(10);
  expect(mostFiles).toBeLessThanOrEqual(24);
  expect(mostBytes).toBeLessThan(12e6);
  expect(readdirSync(dir.path)).toHaveLength(11);
  expect(open()).toBe(before);
});

import { readdirSync, statSync } from 'node:fs';
import { describe, expect } from 'vitest';
import { type TriggerLine, TriggerLog } from '../../../cli/record/trigger/log.js';
import { Delays } from '../../../cli/record/trigger/snapshots.js';
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

/**
 * Waits of a recording without Intel PT, with its side recording: real wakings of a program with known waits.
 */
import { expect, test } from 'vitest';
import { NONE } from '../../../src/model/units.js';
import { readRecording } from '../../../src/perfdata/read-recording.js';
import { type TraceWaits, withWaits } from '../../../src/questions/waits/ask-waits.js';
import { WakerKind } from '../../../src/waits/find-wakers.js';
import { OffState } from '../../../src/waits/schedule.js';
import { fileOf } from '../../helpers/perf/perf-data.js';
import { fixture } from '../../helpers/traces/load.js';

const recordingOf = (name: string) => readRecording(fileOf(fixture(`waits/${name}.data.gz`)));

async function ask<Result>(work: (waits: TraceWaits) => Result): Promise<Result> {
  const sampled = await recordingOf('waitlab.proc');
  const sides = [{ name: 'wakings', recording: await recordingOf('waitlab.wake') }];
  const input = { name: 'waitlab.data', sampled, sides, recorded: null, broken: null };
  return withWaits([input], {}, async (waits) => work(waits));
}

test('threads are named, whether they were recorded or only seen in samples', async () => {
  const names = await ask(({ waits, threads }) => [...new Set(waits.tids)].map((tid) => threads.of(tid)));
  expect(names).toContainEqual({ tid: 7493, pid: 7491, comm: 'teller', isRecorded: true, isSelected: true });
  expect(names).toContainEqual({ tid: 17351, pid: null, comm: 'kworker/3:6', isRecorded: false, isSelected: false });
});

test('waits in futex calls were ended by threads of the program, or by an interrupt', async () => {
  const wakers = await ask(({ waits, threads, calls }) => {
    expect(calls).toBeNull();
    const inFutex = [...waits.tid.keys()].filter((row) => waits.waitCall[row] !== NONE);
    expect(inFutex.every((row) => threads.of(waits.tid[row]).isRecorded && waits.state[row] === OffState.Blocked)).toBe(
      true,
    );
    return inFutex.map((row) =>
      waits.wakerKind[row] === WakerKind.Thread
        ? threads.of(waits.waker[row]).isRecorded
        : waits.wakerKind[row] === WakerKind.Interrupt,
    );
  });
  expect(wakers.length).toBeGreaterThan(150);
  expect(wakers).not.toContain(false);
});

test('a customer waits for the teller that holds the lock', async () => {
  const found = await ask(({ waits, threads }) => {
    const longest = [...waits.tid.keys()]
      .filter((row) => threads.of(waits.tid[row]).comm === 'customer' && waits.wakerKind[row] === WakerKind.Thread)
      .sort((a, b) => waits.inNs[b] - waits.outNs[b] - (waits.inNs[a] - waits.outNs[a]));
    return threads.of(waits.waker[longest[0]]).comm;
  });
  expect(found).toBe('teller');
});

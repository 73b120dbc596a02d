/**
 * Waits of simulated machines, where all is known. Whatever part of the samples is missing, no answer is wrong.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { WakerKind } from '../../src/waits/find-wakers.js';
import { OffState } from '../../src/waits/schedule.js';
import { type Waits, waitsOf } from '../../src/waits/waits.js';
import { inputOfRun, loads, runLoad } from './simulator/random-loads.js';
import { INTERRUPT, inputOf, type Recorder, type TrueWait } from './simulator/recorder.js';

const WAKING = 'sched:sched_waking';

it('finds each wait, its waker, its futex and its wake-up latency', () => {
  fc.assert(
    fc.property(loads, (load) => {
      const run = runLoad(load);
      const waits = waitsOf(inputOfRun(run));
      expect(rowsOf(waits)).toEqual(truthOf(run));
    }),
    { numRuns: 50 },
  );
});

it('finds the same if all is recorded twice, or by switch records without sched_switch', () => {
  fc.assert(
    fc.property(loads, (load) => {
      const run = runLoad(load);
      const { samples, switches } = run;
      const twice = waitsOf(inputOf([...samples, ...samples], [...switches, ...switches]));
      expect(rowsOf(twice)).toEqual(truthOf(run));
      const times = switches.map(({ timeNs, ...rest }) => ({
        ...rest,
        timeNs: timeNs - (rest.kind === 0 ? 1400 : 700),
      }));
      const without = waitsOf(
        inputOf(
          samples.filter(({ event }) => event !== 'sched:sched_switch'),
          times,
        ),
      );
      expect(rowsOf(without)).toEqual(truthOf(run));
    }),
    { numRuns: 20 },
  );
});

it('names fewer wakers if wakings are missing, cut off or doubled with a delay, but none that is wrong', () => {
  fc.assert(
    fc.property(loads, fc.double({ min: 0, max: 1, noNaN: true }), fc.nat(), (load, share, cut) => {
      const run = runLoad(load);
      const wakings = run.samples.filter(({ event }) => event === WAKING);
      const others = run.samples.filter(({ event }) => event !== WAKING);
      const fewer = wakings.filter(({ timeNs }) => (timeNs * 7919) % 1000 < share * 1000);
      const doubled = wakings.map((sample) => ({ ...sample, timeNs: sample.timeNs + 150 }));
      for (const some of [fewer, wakings.slice(cut % wakings.length), [], [...fewer, ...doubled]]) {
        const waits = waitsOf(inputOf([...others, ...some], run.switches));
        expectNoneWrong(waits, run);
      }
    }),
    { numRuns: 20 },
  );
});

function expectNoneWrong(waits: Waits, run: Recorder): void {
  const truth = new Map(run.waits.map((wait) => [`${wait.tid} ${wait.outNs}`, wait]));
  for (let row = 0; row < waits.length; row++) {
    if (waits.wakerKind[row] === WakerKind.NotSeen) continue;
    const wait = truth.get(`${waits.tid[row]} ${waits.outNs[row]}`);
    expect(wait?.waker).toBe(waits.wakerKind[row] === WakerKind.Interrupt ? INTERRUPT : waits.waker[row]);
  }
}

type Row = readonly (string | number)[];

function rowsOf(waits: Waits): Row[] {
  const rows = Array.from({ length: waits.length }, (_, row) => row).filter(
    (row) => waits.state[row] !== OffState.Unknown && !waits.isOpen[row],
  );
  return rows.map((row) => {
    const call = waits.waitCall[row];
    const isBlocked = waits.state[row] === OffState.Blocked;
    const waker = waits.wakerKind[row] === WakerKind.Thread ? waits.waker[row] : INTERRUPT;
    const address = call < 0 ? 0 : waits.calls.address[call];
    return [waits.tid[row], waits.outNs[row], waits.inNs[row], Number(isBlocked), waker, waits.wakeNs[row], address];
  });
}

function truthOf({ waits }: Recorder): Row[] {
  const rows = waits.map((wait: TrueWait): Row => {
    return [wait.tid, wait.outNs, wait.inNs, Number(wait.isBlocked), wait.waker, wait.wakeNs, wait.address];
  });
  return rows.sort(
    ([tid, outNs], [otherTid, otherNs]) => Number(tid) - Number(otherTid) || Number(outNs) - Number(otherNs),
  );
}

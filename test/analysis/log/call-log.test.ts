/**
 * Checks that the log of a thread, summed up, equals its call tree, and that its single calls are consistent.
 */
import { describe, expect, test } from 'vitest';
import { type FilteredThread, filterThread } from '../../../src/analysis/log/filter-thread.js';
import type { CallFilter } from '../../../src/analysis/questions.js';
import { argumentOf, CallLogBuilder, CallOp, opOf } from '../../../src/model/calls/call-log.js';
import { DurationsBuilder, type FunctionDurations } from '../../../src/model/calls/durations.js';
import { NONE } from '../../../src/model/units.js';
import { Replayer } from '../../../src/replay/replayer.js';
import type { ReplayOptions, ThreadReplay } from '../../../src/replay/thread-replay.js';
import { everyNth } from '../../helpers/random/times.js';
import { traceFiles } from '../../helpers/traces/all-fixtures.js';
import { timesOf } from '../../helpers/traces/for-logs.js';
import { threadsOfBeginning } from '../../helpers/traces/threads-of.js';
import {
  pathOf,
  pathOfInterval,
  type ReferenceCall,
  type ReferenceThread,
} from '../../helpers/twin/reference-calls.js';
import { symbolKey } from '../../helpers/twin/reference-events.js';
import { referenceLog } from '../../helpers/twin/reference-log.js';

const EVERYTHING: CallFilter = { window: null, inside: [], root: null, foldsRecursion: false };

describe.each(everyNth(traceFiles, 3))('%s', (file) => {
  test.each(['nest', 'replace'] as const)('%s', async (tailCalls) => {
    const { threads, facts, symbols, bounds } = await threadsOfBeginning(file);
    const replayer = new Replayer(facts);
    for (const { events, createdInside } of threads) {
      const options: ReplayOptions = { tailCalls, extendTo: bounds, createdInside, knownPaths: null };
      const durations = new DurationsBuilder();
      const unlogged = replayer.replay(events, { ...options, durations });
      const logged = replayer.replay(events, { ...options, wantsLog: true });
      if (logged.log === null) throw new Error('no log');
      const { lostAt: _, ...filtered } = filterThread(logged.log, logged.tree, EVERYTHING);
      const counted = unlogged.hasUnconfirmedPaths ? (filtered.durations as FunctionDurations) : durations.build(); // it is replayed again later
      expect(filtered).toEqual(pick(unlogged, counted));
      if (unlogged.hasUnconfirmedPaths) expect(durations.blocks().length).toBe(0);
      expect(
        faultsOf(referenceLog(events.tid, logged.log, logged.tree, (symbol) => symbolKey(symbols, symbol))),
      ).toEqual([]);
    }
  });
});

type Sums = Omit<FilteredThread, 'lostAt'>;

function pick({ tree, inferred, hiddenNs }: ThreadReplay, durations: FunctionDurations): Sums {
  return { tree, durations, inferred, hiddenNs };
}

/** Calls must cover the time spent in them, and be on the stack that their paths give. */
function faultsOf({ calls, intervals }: ReferenceThread): string[] {
  const onWrongStack = calls.filter((call) => !isOnPath(call.stack, pathOf(call)));
  const reversed = calls.filter(({ startNs, endNs }) => !(startNs <= endNs));
  const lost = intervals.filter((interval) => !isOnPath(interval.stack, pathOfInterval(interval)));
  const late = intervals.flatMap(({ stack, fromNs, toNs }) =>
    stack.filter(({ startNs, endNs }) => startNs > fromNs || endNs < toNs),
  );
  return [...onWrongStack, ...reversed, ...late]
    .map(({ fn }) => fn)
    .concat(lost.map((each) => `time of ${pathOfInterval(each)}`));
}

function isOnPath(stack: readonly ReferenceCall[], path: readonly string[]): boolean {
  return stack.map(({ fn }) => fn).join() === path.join();
}

test.each([0, 100, 5000, 20_000])('a log with space for %d events keeps all rows', (events) => {
  const log = new CallLogBuilder();
  const calls = Array.from({ length: 10_000 }, (_, call) => call);
  for (let thread = 0; thread < 2; thread++) {
    log.clear(events);
    log.begin(7);
    for (const call of calls) {
      log.nowNs = 10 + call;
      log.open(call);
    }
    const built = log.build();
    const { code } = built;
    expect([...code].map(opOf)).toEqual([CallOp.Begin, ...calls.map(() => CallOp.Open), CallOp.Charge]);
    expect([...code.subarray(1, -1)].map(argumentOf)).toEqual(calls);
    expect(timesOf(built).slice(0, -1)).toEqual([7, ...calls.map((call) => 10 + call)]);
  }
});

test('times are kept as they are: near, far, backwards, fractions; known durations are no times', () => {
  const log = new CallLogBuilder();
  const times = [7, 7, 7 + 0xfffe, 7 + 2 * 0xfffe + 1, 0.1, 2.1, -60_000.1, 4.9, -5, 2 ** 53, 2 ** 53 + 2, 1e18];
  log.clear(0);
  for (const ns of times) {
    log.nowNs = ns;
    log.close(NONE);
    log.setKnownTime(3);
  }
  expect(timesOf(log.build())).toEqual([...times.flatMap((ns) => [ns, 3]), 1e18]);
});

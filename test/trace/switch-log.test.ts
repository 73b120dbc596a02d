/**
 * Switches of threads: each once, in order, however often and in whatever order they are added.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SwitchKind } from '../../src/model/sample-table.js';
import { SwitchLog, type SwitchRecord } from '../../src/trace/records/switch-log.js';

const record: fc.Arbitrary<SwitchRecord> = fc.record({
  what: fc.constant('switch' as const),
  direction: fc.constantFrom('in' as const, 'out' as const, 'preempted' as const),
  tid: fc.constantFrom(9, 7, 0, -1),
  cpu: fc.integer({ min: -1, max: 1 }),
  timeNs: fc.oneof(fc.integer({ min: 0, max: 3 }), fc.constantFrom(0.5, 1e15, 1e15 + 1, Number.NEGATIVE_INFINITY)),
});

const ORDER = ['out', 'preempted', 'in'];

function compare(a: SwitchRecord, b: SwitchRecord): number {
  const byTime = a.timeNs === b.timeNs ? 0 : a.timeNs - b.timeNs;
  return a.tid - b.tid || byTime || a.cpu - b.cpu || ORDER.indexOf(a.direction) - ORDER.indexOf(b.direction);
}

describe('a log of switches', () => {
  it('has each of them once, by thread and time', () => {
    fc.assert(
      fc.property(fc.array(record), fc.array(record), (first, second) => {
        const log = new SwitchLog();
        for (const each of first) log.add(each);
        log.all(); // what is added later counts, too
        for (const each of [...second, ...first]) log.add(each);
        const expected = [...first, ...second]
          .sort(compare)
          .filter((each, row, all) => row === 0 || compare(all[row - 1] as SwitchRecord, each) !== 0);
        const tids = log.tids.sort((a, b) => a - b);
        expect(tids.flatMap((tid) => log.recordsOf(tid))).toEqual(expected);
        const { timeNs, tid, cpu, kind, length } = log.all();
        expect(length).toBe(expected.length);
        expect(Array.from(kind, (own, row) => [tid[row], timeNs[row], cpu[row], own])).toEqual(
          expected.map((each) => [each.tid, each.timeNs, each.cpu, KINDS[each.direction]]),
        );
      }),
    );
  });

  it('of a thread that never switched is empty', () => {
    expect(new SwitchLog().of(7).length).toBe(0);
  });
});

const KINDS = { in: SwitchKind.In, out: SwitchKind.Out, preempted: SwitchKind.Preempted };

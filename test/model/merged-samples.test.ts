/**
 * Samples of several sources, merged; and rows in the order of time.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { SampleContext, type SampleTable } from '../../src/model/sample-table.js';
import { inOrder, mergeSampleTables, SampleTablesBuilder, timeOrder } from '../../src/model/sample-tables-builder.js';

interface Moment {
  readonly timeNs: number;
  readonly tid?: number;
  readonly value?: number | string;
  readonly context?: SampleContext;
}

const EVENT = 'sched:sched_waking';

function tableOf(...moments: readonly Moment[]): SampleTable[] {
  const builder = new SampleTablesBuilder();
  for (const { timeNs, tid = 1, value = 5, context = SampleContext.Task } of moments)
    builder.add(EVENT, { timeNs, tid, pid: 1, cpu: 0, context, values: [{ name: 'pid', value }] });
  return builder.build();
}

const rows = ([table]: readonly SampleTable[]) =>
  Array.from({ length: table?.length ?? 0 }, (_, row) => [table?.timeNs[row], table?.tid[row]]);

describe('merged samples', () => {
  test('a moment in two sources is one, at the earlier time', () => {
    const [one, other] = [
      tableOf({ timeNs: 1_000 }, { timeNs: 500_000 }),
      tableOf({ timeNs: 9_000 }, { timeNs: 499_000 }),
    ];
    expect(rows(mergeSampleTables([one, other]))).toEqual([
      [1_000, 1],
      [499_000, 1],
    ]);
  });

  test.each<[string, Moment]>([
    ['of another thread', { timeNs: 1_000, tid: 2 }],
    ['with another value', { timeNs: 1_000, value: 6 }],
    ['more than 100 µs later', { timeNs: 101_001 }],
  ])('a moment %s is another one', (_, moment) => {
    const [one, other] = [tableOf({ timeNs: 1_000 }, { timeNs: 900_000 }), tableOf(moment, { timeNs: 900_000 })];
    expect(mergeSampleTables([one, other])[0]?.length).toBe(3);
  });

  test('repeated moments of one source stay', () => {
    const own = tableOf({ timeNs: 1_000 }, { timeNs: 1_000 }, { timeNs: 2_000 });
    expect(mergeSampleTables([own])[0]?.length).toBe(3);
    expect(mergeSampleTables([own, tableOf({ timeNs: 1_500 })])[0]?.length).toBe(3);
  });

  test('of recordings one after the other, all stay', () => {
    expect(mergeSampleTables([tableOf({ timeNs: 1_000 }), tableOf({ timeNs: 1_001 })])[0]?.length).toBe(2);
  });

  test('the context is known if one source knows it', () => {
    const unknown = tableOf({ timeNs: 1_000, context: SampleContext.Unknown });
    const known = tableOf({ timeNs: 1_000, context: SampleContext.HardInterrupt });
    expect([...(mergeSampleTables([unknown, known])[0]?.context ?? [])]).toEqual([SampleContext.HardInterrupt]);
  });

  const moment = fc.record({ timeNs: fc.nat(400_000), tid: fc.nat(2), value: fc.nat(1) });
  const moments = fc.array(moment, { minLength: 1, maxLength: 30 });

  test('have no fewer rows than each source, no more than both, and do not depend on their order', () => {
    fc.assert(
      fc.property(moments, moments, (a, b) => {
        const merged = mergeSampleTables([tableOf(...a), tableOf(...b)]);
        expect(merged[0]?.length).toBeGreaterThanOrEqual(Math.max(a.length, b.length));
        expect(merged[0]?.length).toBeLessThanOrEqual(a.length + b.length);
        expect(rows(mergeSampleTables([tableOf(...b), tableOf(...a)]))).toEqual(rows(merged));
        const doubled = mergeSampleTables([tableOf(...a), tableOf(...a)]);
        expect(rows(doubled)).toEqual(rows(tableOf(...a)));
      }),
    );
  });
});

test('rows in the order of time keep their order if they are equal', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(20), { maxLength: 60 }), (times) => {
      const expected = times.map((_, row) => row).sort((a, b) => (times[a] as number) - (times[b] as number) || a - b);
      const rows = Uint32Array.from(times.keys());
      expect([...inOrder(rows, timeOrder(Float64Array.from(times)))]).toEqual(expected);
    }),
  );
});

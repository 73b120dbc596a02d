import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  endsOfSamples,
  numbersOf,
  type Sample,
  SampleContext,
  tableOf,
  textsOf,
} from '../../src/model/sample-table.js';
import { SampleTablesBuilder } from '../../src/model/sample-tables-builder.js';

function sample(timeNs: number, values: Record<string, number | string>): Sample {
  const named = Object.entries(values).map(([name, value]) => ({ name, value }));
  return { timeNs, tid: 7, pid: 5, cpu: 2, context: SampleContext.Task, values: named };
}

it('sorts samples by time and keeps the order of equal times', () => {
  const builder = new SampleTablesBuilder();
  for (const [time, id] of [
    [30, 1],
    [10, 2],
    [30, 3],
    [20, 4],
  ])
    builder.add('a:b', sample(time, { id }));
  const [table] = builder.build();
  expect([...table.timeNs]).toEqual([10, 20, 30, 30]);
  expect([...(numbersOf(table, 'id') ?? [])]).toEqual([2, 4, 1, 3]);
});

it('has one table per event, by name', () => {
  const builder = new SampleTablesBuilder();
  builder.add('b:b', sample(1, {}));
  builder.add('a:a', sample(2, {}));
  const tables = builder.build();
  expect(tables.map(({ event, length }) => [event, length])).toEqual([
    ['a:a', 1],
    ['b:b', 1],
  ]);
  expect(tableOf(tables, 'b:b')).toBe(tables[1]);
  expect(tableOf(tables, 'c:c')).toBeNull();
});

it('marks samples without a field', () => {
  const builder = new SampleTablesBuilder();
  builder.add('a:a', sample(1, { x: 1 }));
  builder.add('a:a', sample(2, { name: 'main' }));
  builder.add('a:a', sample(3, { x: 3 }));
  const [table] = builder.build();
  expect([...(numbersOf(table, 'x') ?? [])]).toEqual([1, Number.NaN, 3]);
  expect(textsOf(table, 'name')).toEqual(['', 'main', '']);
  expect(textsOf(table, 'x')).toBeNull();
});

it('turns a field into texts if one value is a text', () => {
  const builder = new SampleTablesBuilder();
  builder.add('a:a', sample(2, { id: 7 }));
  builder.add('a:a', sample(3, {}));
  builder.add('a:a', sample(1, { id: '18446744073709551615' }));
  const [table] = builder.build();
  expect(textsOf(table, 'id')).toEqual(['18446744073709551615', '7', '']);
  expect(numbersOf(table, 'id')).toBeNull();
});

it('appends tables as if their samples had been added one by one, whatever their order', () => {
  const value = fc.oneof(fc.nat(9), fc.constantFrom('a', 'b'));
  const values = fc.dictionary(fc.constantFrom('x', 'y'), value);
  const samples = fc.array(fc.tuple(fc.nat(20), values), { maxLength: 4 });
  fc.assert(
    fc.property(samples, samples, samples, (...pieces) => {
      const [joined, single] = [new SampleTablesBuilder(), new SampleTablesBuilder()];
      for (const piece of pieces) {
        const own = new SampleTablesBuilder();
        for (const [timeNs, fields] of piece) {
          own.add('a:a', sample(timeNs, fields));
          single.add('a:a', sample(timeNs, fields));
        }
        for (const table of own.build()) joined.table('a:a').append(table);
      }
      expect(joined.build()).toEqual(single.build());
    }),
  );
});

it('says from when to when threads were sampled, by all events but wakings', () => {
  const builder = new SampleTablesBuilder();
  for (const timeNs of [3, 5, 9]) builder.add('a:a', sample(timeNs, {}));
  for (const timeNs of [1, 20]) builder.add('sched:sched_waking', sample(timeNs, {}));
  builder.add('b:b', sample(7, {}));
  const ends = endsOfSamples(builder.build());
  expect([Math.min(...ends), Math.max(...ends)]).toEqual([3, 9]);
});

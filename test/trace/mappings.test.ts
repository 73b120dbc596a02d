/**
 * Which file is mapped at an address: overlapping mappings, forks, execs, the kernel.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { UNMAPPED_KERNEL } from '../../src/model/symbol-table.js';
import type { Mapping } from '../../src/model/trace/trace-chunk.js';
import { Mappings } from '../../src/trace/records/mappings.js';

type AddedRecord =
  | readonly ['map', Mapping]
  | readonly ['fork', pid: number, parentPid: number, timeNs: number]
  | readonly ['exec', pid: number, timeNs: number];

const BEFORE = Number.NEGATIVE_INFINITY;

/** `map(7, 5, 0x1000, 'a')`: a page of file a at 0x1000 in process 7, from time 5 on. */
const map = (pid: number, timeNs: number, start: number, file: string, length = 0x1000): AddedRecord => [
  'map',
  { pid, timeNs, start, length, fileOffset: 0, file },
];

function mappingsOf(...records: readonly AddedRecord[]): Mappings {
  const mappings = new Mappings();
  for (const record of records) add(mappings, record);
  return mappings;
}

function add(mappings: Mappings, record: AddedRecord): void {
  if (record[0] === 'map') mappings.add(record[1]);
  else if (record[0] === 'fork') mappings.addFork(record[1], record[2], record[3]);
  else mappings.addExec(record[1], record[2]);
}

describe('one process', () => {
  const mappings = mappingsOf(map(7, BEFORE, 0x1000, 'old'), map(7, 10, 0x2000, 'new'), map(8, 0, 0x3000, 'other'));
  test.each([
    ['its first byte', 0x1000, 0, 'old'],
    ['its last byte', 0x1fff, 0, 'old'],
    ['after it', 0x2000, 9, null],
    ['before it', 0xfff, 100, null],
    ['from its time on', 0x2000, 10, 'new'],
    ['in another process', 0x3000, 100, null],
    ['no address', Number.NaN, 100, null],
  ])('%s', (_, address, timeNs, file) => {
    expect(mappings.fileAt(7, address, timeNs)).toBe(file);
  });

  test('finds nothing in an unknown process', () => {
    for (const pid of [-1, 0, 9]) expect(mappings.fileAt(pid, 0x1000, 100)).toBeNull();
  });
});

test('prefers a newer mapping over an older one where they overlap', () => {
  const mappings = mappingsOf(map(7, 1, 0x1000, 'large', 0x3000), map(7, 5, 0x2000, 'small'));
  expect([0x1500, 0x2500, 0x3500].map((address) => mappings.fileAt(7, address, 4))).toEqual(Array(3).fill('large'));
  expect([0x1500, 0x2500, 0x3500].map((address) => mappings.fileAt(7, address, 5))).toEqual([
    'large',
    'small',
    'large',
  ]);
});

describe('the kernel', () => {
  const text = map(-1, BEFORE, -0x7f000000, '[kernel.kallsyms]_text', 0x7f000000);
  const modules = map(-1, BEFORE, -0x40000000, '/lib/modules/a.ko');
  const mappings = mappingsOf(modules, text, map(7, 0, 0x1000, 'program'));

  test('is the same in all processes', () => {
    for (const pid of [-1, 0, 7, 99]) expect(mappings.fileAt(pid, -0x7effffff, 0)).toBe('[kernel.kallsyms]_text');
  });

  test('prefers the smaller of two mappings of the same time', () => {
    expect(mappings.fileAt(7, -0x40000000 + 5, 0)).toBe('/lib/modules/a.ko');
  });

  test('has code that no mapping is known of: of later modules, or made by itself', () => {
    expect(mappings.fileAt(7, -0x7f000001, 0)).toBe(UNMAPPED_KERNEL);
    expect(mappings.fileAt(7, 0x20000000, 0)).toBeNull();
  });

  test('is not changed by impossible forks and execs', () => {
    const garbled = mappingsOf(text, ['exec', -1, 5], ['exec', 0, 5], ['fork', 0, 7, 5]);
    expect(garbled.fileAt(7, -0x7effffff, 9)).toBe('[kernel.kallsyms]_text');
  });
});

describe('a forked process', () => {
  const mappings = mappingsOf(
    map(7, BEFORE, 0x1000, 'shell'),
    map(7, 20, 0x2000, 'later'),
    ['fork', 8, 7, 10],
    map(8, 12, 0x3000, 'own'),
    map(8, 14, 0x1000, 'instead'),
    ['fork', 9, 8, 13],
  );
  test.each([
    ['inherits from its parent', 8, 0x1000, 11, 'shell'],
    ['does not inherit what its parent maps later', 8, 0x2000, 30, null],
    ['has its own mappings, too', 8, 0x3000, 12, 'own'],
    ['prefers its own mapping over an inherited one', 8, 0x1000, 14, 'instead'],
    ['does not change its parent', 7, 0x3000, 30, null],
    ['may fork again', 9, 0x1000, 30, 'shell'],
    ['inherits what its parent mapped itself', 9, 0x3000, 30, 'own'],
  ])('%s', (_, pid, address, timeNs, file) => {
    expect(mappings.fileAt(pid, address, timeNs)).toBe(file);
  });

  test('inherits nothing from an earlier process with the same id', () => {
    const again = mappingsOf(map(8, 1, 0x1000, 'before'), ['fork', 8, 7, 10], map(7, 1, 0x2000, 'parent'));
    expect([again.fileAt(8, 0x1000, 9), again.fileAt(8, 0x1000, 10)]).toEqual(['before', null]);
    expect(again.fileAt(8, 0x2000, 10)).toBe('parent');
  });

  test('is not changed by a new thread', () => {
    expect(mappingsOf(map(7, 1, 0x1000, 'a'), ['fork', 7, 7, 5]).fileAt(7, 0x1000, 6)).toBe('a');
  });

  test('ends the search at processes that are each other’s parents', () => {
    expect(mappingsOf(['fork', 7, 8, 1], ['fork', 8, 7, 1]).fileAt(7, 0x1000, 5)).toBeNull();
  });
});

test('an exec removes all mappings, own and inherited', () => {
  const records = [map(7, 1, 0x1000, 'parent'), ['fork', 8, 7, 2], map(8, 3, 0x2000, 'mapped')] as const;
  const mappings = mappingsOf(...records, ['exec', 8, 5], map(8, 5, 0x3000, 'program'));
  const filesAt = (timeNs: number) => [0x1000, 0x2000, 0x3000].map((address) => mappings.fileAt(8, address, timeNs));
  expect(filesAt(4)).toEqual(['parent', 'mapped', null]);
  expect(filesAt(5)).toEqual([null, null, 'program']);
});

test('gives up a long search', () => {
  const mappings = mappingsOf(map(7, 0, 0x1000, 'first'));
  for (let timeNs = 1; timeNs <= 100_000; timeNs++) add(mappings, map(7, timeNs, 0x2000, `f${timeNs}`));
  expect(mappings.fileAt(7, 0x1000, 1000)).toBe('first');
  expect(mappings.fileAt(7, 0x1000, 100_000)).toBeNull();
  expect(mappings.fileAt(7, 0x2000, 100_000)).toBe('f100000');
});

const pid = fc.integer({ min: -1, max: 4 });
const timeNs = fc.oneof(fc.constant(BEFORE), fc.integer({ min: 0, max: 6 }));
const start = fc.constantFrom(-0x3000, 0x1000, 0x2000, 0x3000);
const added: fc.Arbitrary<AddedRecord> = fc.oneof(
  fc
    .record({
      pid,
      timeNs,
      start,
      length: fc.constantFrom(0x1000, 0x2000),
      fileOffset: fc.constant(0),
      file: fc.constantFrom('a', 'b', 'c'),
    })
    .map((mapping) => ['map', mapping] as const),
  fc.tuple(fc.constant('fork' as const), pid, pid, timeNs),
  fc.tuple(fc.constant('exec' as const), pid, timeNs),
);

test('gives the same answers whatever the order of records, with duplicates, and with queries in between', () => {
  const questions = [-1, 0, 1, 2, 3, 4].flatMap((pid) =>
    [-0x2001, 0x1000, 0x2fff, 0x3000].flatMap((address) => [0, 3, 6].map((timeNs) => ({ pid, address, timeNs }))),
  );
  const answers = (mappings: Mappings) => questions.map((q) => mappings.fileAt(q.pid, q.address, q.timeNs));
  const shuffled = fc
    .array(added, { maxLength: 25 })
    .chain((all) => fc.tuple(fc.constant(all), fc.shuffledSubarray([...all, ...all], { minLength: 2 * all.length })));
  fc.assert(
    fc.property(shuffled, ([all, again]) => {
      const mappings = new Mappings();
      for (const record of again) {
        add(mappings, record);
        mappings.fileAt(1, 0x1000, 3);
      }
      expect(answers(mappings)).toEqual(answers(mappingsOf(...all)));
    }),
    { numRuns: 500 },
  );
});

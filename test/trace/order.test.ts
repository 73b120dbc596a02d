/**
 * The order of a thread's events: CPUs whose clocks differ, inputs in any order, records among branches.
 */
import { expect, test } from 'vitest';
import { analyze } from '../../src/index.js';
import { analyzeText, fold, inputOf } from '../helpers/traces/load.js';

const branch = (cpu: number, ns: number, flags: string, from: string, to: string) =>
  `1 [00${cpu}] 1.${String(ns).padStart(9, '0')}:   ${flags}   ${from} => ${to}\n`;

const NOWHERE = '0 [unknown]';

test('puts a stay that seems to begin before another has ended after it', async () => {
  const text = [
    branch(0, 1000, 'call', '1010 main+0x10', '2000 a+0x0'),
    branch(1, 4000, 'tr strt', NOWHERE, '2020 a+0x20'), // the clock of CPU 1 is 2 µs behind
    branch(1, 4100, 'return', '2030 a+0x30', '1015 main+0x15'),
    branch(0, 5000, 'call', '2010 a+0x10', '3000 b+0x0'),
    branch(0, 5500, 'return', '3010 b+0x10', '2015 a+0x15'),
    branch(0, 6000, 'tr end  async', '2020 a+0x20', NOWHERE),
  ].join('');
  const profile = await analyzeText(text);
  expect(fold(profile, { annotate: true })).toBe(
    'main:1(1) 0\nmain:1(1);a:1,avg:5000 4500\nmain:1(1);a:1,avg:5000;[untraced]:1,avg:0 0\nmain:1(1);a:1,avg:5000;b:1,avg:500 500\n',
  );
  expect(profile.quality.clockSteps).toBe(2);
});

test('of stays at the same time, puts the unfinished one last', async () => {
  const text = [
    branch(0, 1000, 'tr strt', NOWHERE, '1000 main+0x0'),
    branch(0, 1000, 'tr end  async', '1008 main+0x8', NOWHERE),
    branch(1, 1000, 'tr strt', NOWHERE, '1008 main+0x8'),
    branch(1, 1000, 'tr end  async', '100c main+0xc', NOWHERE),
    branch(0, 1000, 'tr strt', NOWHERE, '100c main+0xc'),
  ].join('');
  const profile = await analyzeText(text, { extend: false });
  expect(fold(profile, { annotate: true })).toBe('main:1(1) 0\nmain:1(1);[untraced]:2,avg:0 0\n');
});

test.each([
  ['on one CPU', 0],
  ['on two CPUs', 1],
])('puts what was recorded earlier before what it follows in the file, %s', async (_, other) => {
  const early = [
    branch(0, 1000, 'call', '1010 main+0x10', '2000 a+0x0'),
    branch(0, 3000, 'return', '2030 a+0x30', '1015 main+0x15'),
    branch(other, 4000, 'call', '1020 main+0x20', '3000 b+0x0'),
    branch(other, 4500, 'return', '3030 b+0x30', '1025 main+0x25'),
  ].join('');
  const late = [
    branch(0, 5_001_000, 'call', '1040 main+0x40', '3000 b+0x0'),
    branch(0, 5_001_500, 'return', '3030 b+0x30', '1045 main+0x45'),
    branch(other, 5_002_000, 'call', '1040 main+0x40', '2000 a+0x0'),
    branch(other, 5_002_500, 'return', '2030 a+0x30', '1045 main+0x45'),
  ].join('');
  const [joined, ordered] = [await analyzeText(late + early), await analyzeText(early + late)];
  expect(joined.quality.clockSteps).toBe(ordered.quality.clockSteps);
  expect(fold(joined, { annotate: true })).toBe(fold(ordered, { annotate: true }));
});

test('merges the events of two CPUs by time if stays have no end', async () => {
  const text = [
    branch(0, 1000, 'call', '1010 main+0x10', '2000 a+0x0'),
    branch(1, 900_000, 'call', '2010 a+0x10', '3000 b+0x0'),
    branch(1, 901_000, 'return', '3010 b+0x10', '2015 a+0x15'),
    branch(0, 2_000_000, 'return', '2030 a+0x30', '1015 main+0x15'),
  ];
  const zero = inputOf(text.filter((line) => line.includes('[000]')).join(''), 'zero');
  const one = inputOf(text.filter((line) => line.includes('[001]')).join(''), 'one');
  expect(fold(await analyze([one, zero]), { annotate: true })).toBe(
    'main:1(1) 0\nmain:1(1);a:1,avg:1999000 1998000\nmain:1(1);a:1,avg:1999000;b:1,avg:1000 1000\n',
  );
});

test('treats a time far from the lines around it as damage, not as the end of the recording', async () => {
  const wait = `2 [001] 1.000000500:   tr end  syscall   9000 poll+0x0 => ${NOWHERE}\n`;
  const good = [branch(0, 1000, 'call', '1010 main+0x10', '2000 a+0x0'), wait];
  const garbled = branch(0, 1200, 'call', '2010 a+0x10', '3000 b+0x0').replace('] 1.', '] 7.');
  const after = branch(0, 2000, 'return', '2030 a+0x30', '1015 main+0x15');
  const { quality, meta } = await analyzeText([...good, garbled, after].join(''));
  expect(quality).toMatchObject({ lines: 4, events: 3, damagedLines: 1 });
  expect(quality.firstDamaged).toMatchObject([{ line: 3, reason: 'its time does not fit the lines around it' }]);
  expect(meta.endNs).toBe(2000);
});

test('counts a record once if several parts of a recording repeat it', async () => {
  const lines = [
    branch(0, 1000, 'call', '1010 main+0x10', '2000 a+0x0'),
    ' instruction trace error type 1 time 1.000002000 cpu 0 pid 1 tid 1 ip 0 code 7: Overflow packet\n',
    branch(0, 3000, 'tr strt', NOWHERE, '2020 a+0x20'),
  ];
  const [first, error, last] = lines;
  const sliced = await analyze([inputOf(first + error, 'one'), inputOf(error + last, 'two')]);
  expect(sliced.quality.gaps).toMatchObject([{ cause: 'decode-error', atNs: 2000, lengthNs: 1000, code: 7 }]);
  expect(sliced.quality.gapLines).toBe(2);
});

test('assigns an error without a thread to the threads last seen on its CPU', async () => {
  const text = [
    branch(0, 1000, 'call', '1010 main+0x10', '2000 a+0x0'),
    '2 [001] 1.000001100:   call   5010 other+0x10 => 6000 x+0x0\n',
    ' instruction trace error type 1 time 1.000002000 cpu 0 pid -1 tid -1 ip 0 code 8: Lost trace data\n',
    branch(0, 3000, 'tr strt', NOWHERE, '2020 a+0x20'),
    '2 [001] 1.000003100:   return   6010 x+0x10 => 5015 other+0x15\n',
  ].join('');
  const { quality } = await analyzeText(text);
  expect(quality.gaps).toMatchObject([{ tid: 1, cause: 'decode-error', message: 'Lost trace data' }]);
});

/**
 * Mappings, forks and execs in, images out: what they hold is what a search through all mappings finds.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { codeAt, type Image, Images, type MappedCode, uncovered } from '../../src/decode/images.js';

const PAGE = 4096;
const code = (start: number, pages: number, file = '/bin/a', tick = 0n): MappedCode => {
  return { tick, start: start * PAGE, end: (start + pages) * PAGE, fileOffset: 0, file };
};

describe('an image', () => {
  test('grows while mappings do not contradict each other', () => {
    const images = new Images();
    const first = images.of(1);
    images.map(1, code(0, 1));
    images.map(1, code(1, 1, '/bin/b'));
    expect([images.of(1), images.all.length]).toEqual([first, 1]);
    expect(codeAt(first, PAGE, 0n)?.file).toBe('/bin/b');
  });

  test('keeps what it had if other code replaces it', () => {
    const images = new Images();
    const first = images.of(1);
    images.map(1, code(0, 4));
    images.map(1, code(1, 1, '/bin/b'));
    const second = images.of(1);
    expect([first, second].map((image) => codeAt(image, PAGE, 0n)?.file)).toEqual(['/bin/a', '/bin/b']);
    expect(codeAt(second, 2 * PAGE, 0n)?.file).toBe('/bin/a');
  });

  test('has its mappings from their ticks on', () => {
    const images = new Images();
    images.map(1, code(0, 1, '/bin/a', 5n));
    expect([4n, 5n].map((tick) => codeAt(images.of(1), 0, tick)?.file)).toEqual([undefined, '/bin/a']);
  });

  test('has those of the parent after a fork, and none after an exec', () => {
    const images = new Images();
    images.map(1, code(0, 1));
    images.fork(2, 1);
    images.map(1, code(1, 1));
    expect([0, PAGE].map((address) => codeAt(images.of(2), address, 0n)?.file)).toEqual(['/bin/a', undefined]);
    images.exec(2);
    expect(codeAt(images.of(2), 0, 0n)).toBeNull();
    expect(codeAt(images.of(1), 0, 0n)?.file).toBe('/bin/a');
  });
});

/** Up to 1.2 MiB, so that small and large ones meet. */
const mapping = fc.record({
  pid: fc.integer({ min: 1, max: 2 }),
  start: fc.nat(300),
  pages: fc.oneof(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 1, max: 300 })),
  file: fc.constantFrom('/bin/a', '/bin/b'),
});
const step = fc.oneof({ weight: 8, arbitrary: mapping }, fc.constant('fork' as const), fc.constant('exec' as const));

/** Up to where it is uncovered, the code at an address is there. */
function isUncoveredRight(image: Image, code: MappedCode, address: number): boolean {
  const { start, end } = uncovered(image, code, address, 99n);
  const has = (at: number) => codeAt(image, at, 99n) === code;
  for (let at = start; at < end; at += PAGE) if (!has(at)) return false;
  return start <= address && address < end && !has(start - PAGE) && !has(end);
}

test('every image has the code that a search through all its mappings finds', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const images = new Images();
      const expected = new Map<number, MappedCode[]>([1, 2].map((pid) => [pid, []]));
      const seen: { readonly image: ReturnType<Images['of']>; readonly all: MappedCode[] }[] = [];
      for (const [tick, one] of steps.entries()) {
        if (one === 'exec') images.exec(1);
        else if (one === 'fork') images.fork(2, 1);
        else images.map(one.pid, code(one.start, one.pages, one.file, BigInt(tick)));
        if (one === 'exec') expected.set(1, []);
        else if (one === 'fork') expected.set(2, [...(expected.get(1) ?? [])]);
        else expected.get(one.pid)?.push(code(one.start, one.pages, one.file, BigInt(tick)));
        for (const pid of [1, 2]) seen.push({ image: images.of(pid), all: [...(expected.get(pid) ?? [])] });
      }
      const last = new Map(seen.map(({ image, all }) => [image, all])); // an image grows until another one begins
      for (const [image, all] of last)
        for (let page = 0; page < 600; page += 7) {
          const found = codeAt(image, page * PAGE, 99n);
          expect(found).toEqual(all.findLast(({ start, end }) => start <= page * PAGE && page * PAGE < end) ?? null);
          if (found !== null && page % 5 === 0) expect(isUncoveredRight(image, found, page * PAGE)).toBe(true);
        }
    }),
    { numRuns: 200 },
  );
});

test('10,000 functions of a JIT need one image, and each that replaces another one does not copy them', () => {
  const images = new Images();
  for (let at = 0; at < 10_000; at++) images.map(1, code(at, 1));
  for (let at = 0; at < 100; at++) images.map(1, code(at, 1, '/bin/b'));
  expect(images.all.length).toBe(101);
  expect(new Set(images.all.map(({ mappings }) => mappings)).size).toBe(1);
});

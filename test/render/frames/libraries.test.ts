/**
 * Libraries keep their colours: the order depends on files alone, and colours differ for everybody.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { SymbolTableBuilder } from '../../../src/model/symbol-table.js';
import { NONE } from '../../../src/model/units.js';
import { classOf, LIBRARY_COLOURS, libraryClass } from '../../../src/render/frames/colours.js';
import { isCLibrary, isProgram, librariesOf, libraryNames } from '../../../src/render/frames/libraries.js';
import { LIBRARIES, TOKENS } from '../../../src/render/frames/palette.js';
import { seenBy } from '../../helpers/checks/colours.js';

function symbolsOf(functions: readonly (readonly [name: string, file: string | null])[]) {
  const symbols = new SymbolTableBuilder();
  for (const [name, file] of functions) symbols.intern(name, file);
  return symbols.build();
}

const FUNCTIONS = [
  ['puts', '/usr/lib/libc.so.6'],
  ['inflate', '/usr/lib/libz.so.1'],
  ['vfs_read', '[kernel.kallsyms]'],
  ['helper', '/opt/bin/a-helper'],
  ['main', '/opt/bin/server'],
  ['jitted', null],
  ['start', '[unknown]'],
] as const;

const ORDER = ['/opt/bin/server', '/usr/lib/libc.so.6', '/opt/bin/a-helper', '[kernel.kallsyms]', '/usr/lib/libz.so.1'];

describe('the order of libraries', () => {
  test('is the executable, libc, then by name', () => {
    const { files, of } = librariesOf(symbolsOf(FUNCTIONS));
    expect(files).toEqual(ORDER);
    expect(of.slice(-FUNCTIONS.length)).toEqual([1, 4, 3, 2, 0, NONE, NONE]);
  });

  test('does not depend on the order of symbols, nor on how many there are of a file', () => {
    const more = FUNCTIONS.map(([name, file]) => [`other ${name}`, file] as const);
    fc.assert(
      fc.property(fc.shuffledSubarray(more), fc.shuffledSubarray([...FUNCTIONS], { minLength: 7 }), (extra, all) => {
        expect(librariesOf(symbolsOf([...extra, ...all])).files).toEqual(ORDER);
      }),
    );
  });

  test('begins with the first program by name, if none has an entry', () => {
    const { files } = librariesOf(
      symbolsOf([
        ['f', '/bin/b'],
        ['g', '/bin/a'],
        ['h', '/lib/aaa.so'],
      ]),
    );
    expect(files).toEqual(['/bin/a', '/lib/aaa.so', '/bin/b']);
  });

  test('does not take stops for functions of a file', () => {
    expect(librariesOf(symbolsOf([])).files).toEqual([]);
  });
});

test.each([
  ['/usr/bin/python3.11', true],
  ['/opt/app/server (deleted)', true],
  ['/usr/lib/libz.so', false],
  ['/usr/lib/libz.so.1.2.13', false],
  ['/usr/lib/libc-2.31.so', false],
  ['/usr/lib/libfoo.so.1 (deleted)', false],
  ['/lib/modules/6.1/ext4.ko.zst', false],
  ['/tmp/perf-123.map', false],
  ['[kernel.kallsyms]', false],
  ['[vdso]', false],
  ['//anon', false],
  ['/memfd:jit', false],
])('%s: a program is %s', (file, expected) => {
  expect(isProgram(file)).toBe(expected);
});

test.each([
  ['/usr/lib/x86_64-linux-gnu/libc.so.6', true],
  ['/lib/libc-2.31.so', true],
  ['/lib/ld-musl-x86_64.so.1', true],
  ['/lib/libc.musl-x86_64.so.1', true],
  ['/system/lib64/libc.so', true],
  ['/usr/lib/libcrypto.so.3', false],
  ['/usr/lib/libc++.so.1', false],
  ['/lib64/ld-linux-x86-64.so.2', false],
])('%s: the C library is %s', (file, expected) => {
  expect(isCLibrary(file)).toBe(expected);
});

test('names are as short as they can be told apart', () => {
  const files = [
    '/bin/server',
    '/lib/libc.so.6',
    '/lib/ld-linux-x86-64.so.2',
    '/a/libz.so.1',
    '/a/libz.so.2',
    '/a/x',
    '/b/x',
    '[kernel.kallsyms]',
    '[server]',
  ];
  const zlibs = ['libz.so.1', 'libz.so.2'];
  const names = ['server', 'libc', 'ld-linux', ...zlibs, '/a/x', '/b/x', 'kernel', '[server]'];
  expect(libraryNames({ files })).toEqual(names);
});

test('the first six have colours of their own, the others share one, and a shade is by name', () => {
  const classes = Array.from({ length: 9 }, (_, library) => libraryClass(library));
  expect(new Set(classes.slice(0, LIBRARY_COLOURS)).size).toBe(LIBRARY_COLOURS);
  expect(new Set(classes.slice(LIBRARY_COLOURS)).size).toBe(1);
  expect([...new Set(classes), libraryClass(NONE)].sort()).toEqual(Object.keys(LIBRARIES).sort());
  const shades = Array.from({ length: 100 }, (_, at) => classOf('user', `function ${at}`, 0));
  expect(new Set(shades).size).toBe(5);
  expect(classOf('syscall', '[syscall]', 0)).toBe('syscall');
});

// Distances in OKLab × 100; 2 is just visible. In the dark, six colours that text can be read on are nearer to each other.
test.each([
  ['light', 6, 5.1],
  ['dark', 3, 5.7],
] as const)('the colours differ with colour blindness: %s, the first %i', (scheme, count, least) => {
  const colours = [...Object.values(LIBRARIES).slice(0, count), TOKENS['off-cpu']];
  for (const blindness of ['protanopia', 'deuteranopia', 'tritanopia'] as const)
    for (const [at, a] of colours.entries())
      for (const b of colours.slice(at + 1)) {
        const [one, other] = [seenBy(blindness, a[scheme]), seenBy(blindness, b[scheme])];
        const distance = 100 * Math.hypot(...one.map((value, axis) => value - (other[axis] as number)));
        expect(distance, `${a[scheme]} ${b[scheme]} ${blindness}`).toBeGreaterThan(least);
      }
});

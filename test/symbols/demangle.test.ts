/**
 * Demangles names as c++filt does. names.txt has real names, each with the output of `c++filt -p -i`.
 */
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { demangle } from '../../src/symbols/demangle/demangle.js';

/** Printing a name stops here, give or take its last part. */
const MAX_LENGTH = 101_000;

const NAMES = readFileSync(new URL('names.txt', import.meta.url), 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => line.split('\t'));

/** The characters of mangled names. */
const letters = fc.constantFrom(...'ZNKSTILEXJPROMFADdtpclsrvCQUhGBu_0123456789abefgijmnowxyz.$');

describe('real names', () => {
  test('are demangled as by c++filt', () => {
    const different = NAMES.filter(([mangled, printed]) => (demangle(mangled) ?? '') !== printed);
    expect(different).toEqual([]);
    expect(NAMES.length).toBeGreaterThan(3000);
  });

  test.each([
    ['_ZN3foo3barEi', 'foo::bar'],
    ['_ZNSsC1Ev', 'std::basic_string<char, std::char_traits<char>, std::allocator<char> >::basic_string'],
    ['_ZThn8_N1A3fooEi', 'non-virtual thunk to A::foo(int)'],
    ['_ZZ4mainENKUlvE_clEv.isra.0', 'main::{lambda()#1}::operator()'],
    ['_ZN3std2fs4File4open17h025ddef378e156acE', 'std::fs::File::open'],
    ['_RNvNtCs2yAzrL6gnRn_3std2fs4read', 'std::fs::read'],
    ['_GLOBAL__I__Z3foov', 'global constructors keyed to foo()'],
    ['camlStdlib__array__map_154', 'Stdlib.array.map_154'],
    ['camlFoo__$2b$2b_7', 'Foo.++_7'],
  ])('demangles %s to %s', (mangled, printed) => {
    expect(demangle(mangled)).toBe(printed);
  });

  test.each(['main', '_start', '', '_Z', '_ZN', '_ZNE', '_R', 'Z3foov'])('%j is not a mangled name', (name) => {
    expect(demangle(name)).toBeNull();
  });
});

describe('hostile names', () => {
  test('random letters do not crash', () => {
    const tail = fc.array(letters, { maxLength: 60 }).map((all) => all.join(''));
    fc.assert(
      fc.property(fc.constantFrom('_Z', '_ZN', '_R', '_ZZ', '_ZTV'), tail, (head, rest) => {
        demangle(head + rest);
      }),
      { numRuns: 5000 },
    );
  });

  test('changed real names do not crash', () => {
    const change = fc.tuple(fc.nat(), letters);
    fc.assert(
      fc.property(fc.nat(NAMES.length - 1), fc.array(change, { minLength: 1, maxLength: 4 }), (row, changes) => {
        const name = [...NAMES[row][0]];
        for (const [at, letter] of changes) name[at % name.length] = letter;
        demangle(name.join(''));
      }),
      { numRuns: 5000 },
    );
  });

  test.each([
    ['a million pointers', `_Z1fI${'P'.repeat(1_000_000)}iE`],
    ['forty thousand pointers', `_Z1fI${'P'.repeat(40_000)}iE`],
    ['deep templates', `_Z${'1aI'.repeat(10_000)}`],
    ['deep functions', `_Z${'Z'.repeat(10_000)}`],
    [
      'a type that doubles with each letter',
      `_Z1fI1AIiiES_I${Array.from({ length: 60 }, (_, at) => `1AIS${at.toString(36).toUpperCase()}_S${at.toString(36).toUpperCase()}_E`).join('')}E`,
    ],
    ['deep types of Rust', `_RINvC1a1b${'S'.repeat(30_000)}uE`],
    ['a Rust path that names itself', '_RNvB_1a'],
    ['a long number', `_Z${'9'.repeat(1000)}a`],
  ])('ends, with a name of bounded length, for %s', (_, name) => {
    expect(demangle(name)?.length ?? 0).toBeLessThan(MAX_LENGTH);
  });
});

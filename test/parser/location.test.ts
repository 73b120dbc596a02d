/**
 * One end of a branch: address, symbol, offset and file, whatever characters the name has.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseAddress, parseLocation } from '../../src/parser/lines/location.js';

/** `address | name | offset | file`; a dash for what was not printed or is not plausible. */
function parts(text: string): string {
  const { address, name, offset, dso } = parseLocation(text);
  return [address.toString(16), name ?? '-', Number.isNaN(offset) ? '-' : `+${offset.toString(16)}`, dso ?? '-'].join(
    ' | ',
  );
}

const LONG_NAME = `std::map<${'std::vector<std::pair<int, Store<char> > >, '.repeat(34)}int>::find`;

describe('parses a location', () => {
  test.each([
    ['symbol and offset', '4010d9 main+0x19', '4010d9 | main | +19 | -'],
    ['the first byte of a function', '4012d0 tail_caller+0x0', '4012d0 | tail_caller | +0 | -'],
    ['no known symbol', '7ffff6000000 [unknown]', '7ffff6000000 | - | - | -'],
    ['nowhere', '0 [unknown]', '0 | - | - | -'],
    ['no symbol column', '4010d9', '4010d9 | - | - | -'],
    ['no offset', '4010d9 main', '4010d9 | main | - | -'],
    ['no offset, and a name that could be an address', '4010d9 add', '4010d9 | add | - | -'],
    ['a plt entry', '401060 signal@plt+0x0', '401060 | signal@plt | +0 | -'],
    [
      'a symbol version',
      '7ffff7d7ddaf pthread_create@GLIBC_2.2.5+0xa2f',
      '7ffff7d7ddaf | pthread_create@GLIBC_2.2.5 | +a2f | -',
    ],
    ['a clone', '401000 foo.part.0+0x1', '401000 | foo.part.0 | +1 | -'],
    ['an offset modulo 2^64', '7ffd193838e0 memcpy@plt+0xffffffffff22f000', '7ffd193838e0 | memcpy@plt | - | -'],
    ['the largest plausible offset', '9000000 f+0x1000000', '9000000 | f | +1000000 | -'],
    ['an offset without a name', '401000 +0x5', '401000 | - | +5 | -'],
  ])('%s', (_, text, expected) => {
    expect(parts(text)).toBe(expected);
  });
});

describe('keeps every character of a name', () => {
  test.each([
    ['operator<=>'],
    ['x => '],
    ['=>'],
    ['<T as core::ops::Fn<(A, B)>>::call => x'],
    ['a => 5 b'],
    ['shop::Store<std::vector<int, std::allocator<int> > >::operator bool'],
    ['std::function<int (int) const>::operator()'],
    ['main::{lambda(int)#1}::_FUN'],
    ['(anonymous namespace)::run'],
    ['a+0x5'],
    ['a+0x5 (b)'],
    ['+ '],
    ['a;b'],
    ['[unknown]x'],
    ['Base.Comparable.=_2352'],
    ['main.(*T).Method'],
    ['_$LT$alloc..vec..Vec$LT$T$GT$$GT$'],
    ['operator delete[]'],
    ['LazyCompile:~run /app/main.js:12'],
    ['</script><b>"&\''],
    [LONG_NAME],
  ])('%s', (name) => {
    expect(parseLocation(`401000 ${name}+0x1f`)).toEqual({
      address: 0x401000,
      name,
      offset: 0x1f,
      dso: null,
      fileOffset: Number.NaN,
    });
    expect(parseLocation(`401000 ${name}+0x1f (/opt/a b (x)/lib.so)`)).toEqual({
      address: 0x401000,
      name,
      offset: 0x1f,
      dso: '/opt/a b (x)/lib.so',
      fileOffset: Number.NaN,
    });
  });
});

describe('parses the file', () => {
  test.each([
    ['a path', '4010d9 main+0x19 (/opt/lab/demo)', '4010d9 | main | +19 | /opt/lab/demo'],
    ['a bare name', '4010d9 main+0x19 (foo.so)', '4010d9 | main | +19 | foo.so'],
    ['blanks', '4010d9 [unknown] (this is a spaced dso.so)', '4010d9 | - | - | this is a spaced dso.so'],
    ['deleted', '4010d9 main+0x19 (/tmp/a (deleted))', '4010d9 | main | +19 | /tmp/a (deleted)'],
    ['unknown', '0 [unknown] ([unknown])', '0 | - | - | -'],
    ['the vdso', '7fff0000 __vdso_time+0x4 ([vdso])', '7fff0000 | __vdso_time | +4 | [vdso]'],
    ['the kernel', '40 a+0x1 ([kernel.kallsyms])', '40 | a | +1 | [kernel.kallsyms]'],
    ['anonymous memory', '40 [unknown] (//anon)', '40 | - | - | //anon'],
    ['a file offset (dsoff)', '4010d9 main+0x19 (/opt/lab/demo+0x10d9)', '4010d9 | main | +19 | /opt/lab/demo'],
    ['a file offset in an unknown file', '7ff0 [unknown] ([unknown]+0x7ff0)', '7ff0 | - | - | -'],
    ['no symbol column', '4010d9 (/opt/lab/demo)', '4010d9 | - | - | /opt/lab/demo'],
    ['no symbol column, deleted', '4010d9 (x (deleted))', '4010d9 | - | - | x (deleted)'],
    ['no offset', '4010d9 main (/opt/lab/demo)', '4010d9 | main | - | /opt/lab/demo'],
    ['no offset, parentheses', '40 operator() (/opt/a (deleted))', '40 | operator() | - | /opt/a (deleted)'],
    ['parentheses of a name, no file', '40 S::operator()', '40 | S::operator() | - | -'],
    [
      'parentheses of a namespace, no file',
      '40 (anonymous namespace)::operator()',
      '40 | (anonymous namespace)::operator() | - | -',
    ],
  ])('%s', (_, text, expected) => {
    expect(parts(text)).toBe(expected);
  });
});

describe('parses addresses', () => {
  test.each([
    ['0', 0],
    ['401000', 0x401000],
    ['7ffff7d30265', 0x7ffff7d30265],
    ['ffffffffffffffff', -1],
    ['ffffffff81a00010', -0x7e5ffff0],
    ['0000000000401000', 0x401000],
  ])('%s', (hex, expected) => {
    expect(parseAddress(hex)).toBe(expected);
  });

  test('keeps addresses of programs and of the kernel exact, and neighbours adjacent', () => {
    const program = fc.bigInt(0n, 2n ** 53n - 1n);
    const kernel = fc.bigInt(2n ** 64n - 2n ** 53n, 2n ** 64n - 1n);
    fc.assert(
      fc.property(fc.oneof(program, kernel), (address) => {
        expect(parseAddress(address.toString(16))).toBe(Number(BigInt.asIntN(64, address)));
      }),
    );
  });

  test('parses any text as a location', () => {
    const pieces = ['4010', ' ', 'f', '(', ')', '/', '+0x', '1', '[unknown]', '\r', 'é', ' (', '=> '];
    const text = fc.array(fc.constantFrom(...pieces), { maxLength: 20 }).map((all) => all.join(''));
    fc.assert(fc.property(text, (any) => void parseLocation(any)));
  });
});

test('parses a location without its file to the same result as with it, whatever its name', () => {
  const piece = fc.constantFrom('main', '+0x1', '+0x', ' ', '  ', '@plt', '(int)', '[unknown]', 'é', '+0xg', ' => ');
  const name = fc.array(piece, { maxLength: 6 }).map((pieces) => pieces.join(''));
  const address = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }).map((value) => value.toString(16));
  const offset = fc.oneof(fc.nat(2 ** 25), fc.maxSafeNat()).map((value) => value.toString(16));
  fc.assert(
    fc.property(address, name, offset, (at, symbol, distance) => {
      const text = `${at} ${symbol}+0x${distance}`;
      expect(parseLocation(text)).toEqual({ ...parseLocation(`${text} (/opt/file)`), dso: null });
    }),
    { numRuns: 2000 },
  );
});

/**
 * Finds inlined functions in binaries that gcc and rustc made, as LLVM's tools list them, and nothing in debug information
 * that is broken.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { sourceOf } from '../../../src/symbols/byte-source.js';
import { type InlineChain, inlineChains } from '../../../src/symbols/dwarf/inline-chains.js';
import { type ElfFile, readElf } from '../../../src/symbols/elf-file.js';

const FIXTURES = join(import.meta.dirname, '../../../fixtures/dwarf');
const INLINED = join(FIXTURES, 'inlined');
const BINARIES = namesIn(INLINED);

function namesIn(folder: string): string[] {
  return readdirSync(folder).flatMap((name) => (name.endsWith('.gz') ? [name.slice(0, -3)] : []));
}

const bytesOf = (name: string, folder = INLINED) => gunzipSync(readFileSync(join(folder, `${name}.gz`)));

function chainsIn(bytes: Uint8Array, addresses: readonly number[]): InlineChain[] {
  const { elf } = readElf(sourceOf(bytes));
  return elf === null ? [] : inlineChains(elf, Float64Array.from(addresses));
}

/** The calls in a binary, and what LLVM's tools print of the functions inlined there. */
function callsIn(name: string) {
  const lines = readFileSync(join(INLINED, `${name}.txt`), 'utf8')
    .trimEnd()
    .split('\n');
  return lines.map((line) => {
    const [address = '', chain = ''] = line.split(/ (.*)/);
    return { address: Number.parseInt(address, 16), chain };
  });
}

test('has binaries of both compilers', () => {
  expect(BINARIES).toEqual(['gcc-4', 'gcc-5-64bit', 'gcc-5-lto', 'gcc-5', 'gxx-5', 'rustc-4', 'rustc-5']);
});

test.each(BINARIES)('%s: finds the inlined functions at each call', (name) => {
  const calls = callsIn(name);
  const chains = chainsIn(
    bytesOf(name),
    calls.map(({ address }) => address),
  );
  expect(chains.map((chain) => chain.join(';'))).toEqual(calls.map(({ chain }) => chain));
  expect(chains.some((chain) => chain.length > 0)).toBe(true);
});

test('finds a name in another unit', () => {
  expect(chainsIn(bytesOf('gcc-5-lto'), [0x1059])).toEqual([['twofold', 'from_header']]);
});

test('knows none where nothing is inlined, of split units, and without debug information', () => {
  expect(chainsIn(bytesOf('gcc-5'), [0, 1, 0x1076, 2 ** 40])).toEqual([[], [], [], []]);
  for (const name of namesIn(FIXTURES).filter((name) => name.endsWith('split')))
    expect(chainsIn(bytesOf(name, FIXTURES), [0x1140, 0x1150, 0x1170])).toEqual([[], [], []]);
});

describe('hostile debug information', () => {
  const SECTIONS = ['.debug_info', '.debug_abbrev', '.debug_rnglists', '.debug_ranges', '.debug_str', '.debug_addr'];

  test.each(['gcc-4', 'gcc-5-lto', 'rustc-5'])('changed bytes: %s', (name) => {
    const whole = bytesOf(name);
    const { elf } = readElf(sourceOf(whole)) as { elf: ElfFile };
    const parts = elf.sections.filter((section) => SECTIONS.includes(section.name));
    const addresses = callsIn(name).map(({ address }) => address);
    const change = fc.record({ part: fc.nat(parts.length - 1), at: fc.nat(), byte: fc.nat(255), count: fc.nat(12) });
    fc.assert(
      fc.property(fc.array(change, { minLength: 1, maxLength: 6 }), (changes) => {
        const bytes = Uint8Array.from(whole);
        for (const { part, at, byte, count } of changes) {
          const { offset, length } = parts[part] as (typeof parts)[0];
          const first = offset + (at % length);
          bytes.fill(byte, first, Math.min(first + count + 1, offset + length));
        }
        for (const chain of chainsIn(bytes, addresses)) expect(chain.length).toBeLessThan(512);
      }),
      { numRuns: 200 },
    );
  });

  test('a file that is cut anywhere gives chains or none', () => {
    const whole = bytesOf('gcc-5');
    for (let length = 0; length < whole.length; length += 97) chainsIn(whole.subarray(0, length), [0x1212]);
  });
});

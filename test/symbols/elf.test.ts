/**
 * Reads ELF files: sections, build id, debug link. A broken file is refused with a reason, or lacks some of them.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { sourceOf } from '../../src/symbols/byte-source.js';
import { demangle } from '../../src/symbols/demangle/demangle.js';
import { buildIdOf, debugLinkOf, type ElfFile, type ElfSection, readElf } from '../../src/symbols/elf-file.js';
import { buildSymbolTable } from '../../src/symbols/symbol-table.js';
import { elfFile as fileOfPack } from '../helpers/perf/elf.js';
import { RECORDED_ROOT } from '../helpers/perf/perf.js';
import { program, TEXT_ADDRESS } from './elf-builder.js';

const ID = '0123456789abcdef0123456789abcdef01234567';
const symbols = [
  { name: 'main', value: TEXT_ADDRESS, size: 8 },
  { name: '_ZN1a1bEv', value: TEXT_ADDRESS + 4, size: 0 },
];
const whole = program({ symbols, dynamic: symbols, buildId: ID, debugLink: 'a.debug' });

/** Reads everything of a file, so that a change at any offset is noticed. */
function readAll(bytes: Uint8Array): unknown {
  const { elf } = readElf(sourceOf(bytes));
  if (elf === null) return null;
  const table = buildSymbolTable(elf, elf, { demangle, pltNames: 'all' });
  return [buildIdOf(elf), debugLinkOf(elf), table.find(0x1002)];
}

test('reads the build id, the debug link and symbols', () => {
  expect(readAll(whole)).toEqual([ID, 'a.debug', { name: 'main', start: 0x1000, end: 0x1008 }]);
});

test('reads the names of sections', () => {
  const { elf } = readElf(sourceOf(whole));
  expect(elf?.sections.map(({ name }) => name).slice(0, 5)).toEqual(['', '.text', '.data', '.comment', '.symtab']);
});

test('reads the build id that a compiler wrote', () => {
  const { elf } = readElf(sourceOf(readFileSync(join(RECORDED_ROOT, 'opt/ptflame/threads'))));
  expect(elf === null ? null : buildIdOf(elf)).toBe('0bc117e3a6d08f9d2a43360adcfec0609fc77b21');
});

describe('refuses a file because it is', () => {
  test.each<[string, Uint8Array]>([
    ['not an ELF file', new Uint8Array(100)],
    ['not an ELF file', whole.subarray(0, 63)],
    ['a 32-bit binary', intel(fileOfPack({ bits: 32 }))],
    ['not an x86-64 binary', fileOfPack({})],
  ])('%s', (reason, bytes) => {
    expect(readElf(sourceOf(bytes))).toEqual({ elf: null, reason });
  });
});

describe('hostile files', () => {
  test('a file that is cut at any offset does not crash', () => {
    for (let length = 0; length < whole.length; length += 97) readAll(whole.subarray(0, length));
  });

  test('changed bytes do not crash', () => {
    const places = fc.oneof(
      fc.nat(200),
      fc.nat(1500).map((at) => whole.length - 1 - at),
    );
    const change = fc.tuple(places, fc.constantFrom(0, 1, 0x18, 0x7f, 0x80, 0xff));
    const survives = fc.property(fc.array(change, { minLength: 1, maxLength: 8 }), (changes) => {
      const bytes = whole.slice();
      for (const [at, value] of changes) bytes[at] = value;
      readAll(bytes);
    });
    fc.assert(survives, { numRuns: 3000 });
  });

  test('random bytes after a valid header do not crash', () => {
    const start = whole.subarray(0, 24);
    const rest = fc.uint8Array({ minLength: 40, maxLength: 400 });
    fc.assert(
      fc.property(rest, (bytes) => void readAll(Uint8Array.from([...start, ...bytes]))),
      { numRuns: 2000 },
    );
  });
});

function intel(bytes: Uint8Array): Uint8Array {
  const changed = bytes.slice();
  changed[18] = 62;
  return changed;
}

test('reads each byte of notes about once, however many headers name them', () => {
  const notes = Buffer.alloc(2 ** 20);
  const parts = { name: '.note', type: 7, bytes: notes };
  const one = readElf(sourceOf(program({ more: [parts] }))).elf as ElfFile;
  const note = one.sections.find(({ type }) => type === 7) as ElfSection;
  let bytesRead = 0;
  const read = (at: number, length: number) => {
    bytesRead += length;
    return one.source.read(at, length);
  };
  const many = { ...one, sections: new Array(2000).fill(note), source: { length: one.source.length, read } };
  expect(buildIdOf(many)).toBeNull();
  expect(bytesRead).toBeLessThan(4 * notes.length);
});

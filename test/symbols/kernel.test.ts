/**
 * The kernel's code and names, from small copies that are made here.
 */
import { expect, test } from 'vitest';
import { sourceOf } from '../../src/symbols/byte-source.js';
import { KernelSymbols } from '../../src/symbols/kallsyms.js';
import { findKernel, kernelSegments } from '../../src/symbols/kernel-files.js';

const KALLSYMS = `0000000000000000 A fixed_percpu_data
ffffffff81000000 T startup
ffffffff81000040 T __first
ffffffff81000040 t last_of_three
ffffffff81000050 r __a_number
ffffffff81000080 W weak
ffffffffc0201010 t start	[one]
ffffffffc0201040 t end	[one]
ffffffffc0209000 t other	[two]
`;
const symbols = new KernelSymbols(Buffer.from(KALLSYMS));
const BASE = -0x7f00_0000;
const MODULES = -0x3fe0_0000;

test.each([
  ['startup', BASE + 0x3f],
  ['last_of_three', BASE + 0x40], // the last one of a start
  ['last_of_three', BASE + 0x50], // numbers are no symbols for perf
  ['weak', BASE + 0x1fff], // to the end of the next page
  [undefined, BASE + 0x2000],
  ['start', MODULES + 0x1010],
  ['end', MODULES + 0x2fff],
  [undefined, MODULES + 0x3000],
  ['other', MODULES + 0x9000],
  [undefined, BASE - 1],
])('names %s at its addresses', (name, address) => {
  expect(symbols.at(address)?.name).toBe(name);
});

test('names the file as perf prints it', () => {
  expect([BASE, MODULES + 0x1010].map((address) => symbols.at(address)?.file)).toEqual(['[kernel.kallsyms]', '[one]']);
  expect([symbols.named('weak'), symbols.named('start')]).toEqual([BASE + 0x80, null]);
});

/** A core file of two segments, one of the kernel. */
function kcore(): Uint8Array {
  const bytes = Buffer.alloc(0x2000);
  bytes.write('\x7fELF\x02\x01\x01', 'latin1');
  bytes.writeUInt16LE(4, 16);
  bytes.writeUInt16LE(62, 18);
  bytes.writeBigUInt64LE(64n, 32);
  bytes.writeUInt16LE(56, 54);
  bytes.writeUInt16LE(2, 56);
  for (const [row, start] of [0xffffffff81000000n, 0x1000n].entries()) {
    const at = 64 + 56 * row;
    bytes.writeUInt32LE(1, at);
    bytes.writeBigUInt64LE(0x1000n, at + 8);
    bytes.writeBigUInt64LE(start, at + 16);
    bytes.writeBigUInt64LE(0x800n, at + 32);
    bytes.writeBigUInt64LE(0x800n, at + 40);
  }
  return bytes;
}

const filesOf = (paths: Readonly<Record<string, Uint8Array>>) => ({
  open: (path: string) => (paths[path] ? { ...sourceOf(paths[path]), close: () => {} } : null),
});

test('finds the kernel beside the data', () => {
  const files = filesOf({ '/r/kcore_dir/kcore': kcore(), '/r/kcore_dir/kallsyms': Buffer.from(KALLSYMS) });
  const found = findKernel('/r/data', files);
  expect(found).toEqual({ code: '/r/kcore_dir/kcore', symbols: '/r/kcore_dir/kallsyms' });
  expect(found && kernelSegments(found, files)).toEqual([{ start: BASE, length: 0x800, fileOffset: 0x1000 }]);
});

test('finds no kernel without its code or its names', () => {
  expect(findKernel('/r/data', filesOf({ '/r/kcore_dir/kcore': kcore() }))).toBeNull();
  expect(findKernel('/r/data', filesOf({ '/r/kcore_dir/kallsyms': Buffer.from(KALLSYMS) }))).toBeNull();
});

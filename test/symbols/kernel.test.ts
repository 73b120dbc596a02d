/**
 * The kernel's code and names, from small copies that are made here.
 */
import { expect, test } from 'vitest';
import { sourceOf } from '../../src/symbols/byte-source.js';
import { KernelSymbols, MAX_KALLSYMS_BYTES } from '../../src/symbols/kallsyms.js';
import { findKernel, kernelSegments, kernelSymbols } from '../../src/symbols/kernel-files.js';

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
  namesIn: (folder: string) => {
    const below = Object.keys(paths).filter((path) => path.startsWith(`${folder}/`));
    return [...new Set(below.map((path) => path.slice(folder.length + 1).split('/')[0] as string))].sort();
  },
});
const copyIn = (folder: string, names = KALLSYMS) => ({
  [`${folder}/kcore`]: kcore(),
  [`${folder}/kallsyms`]: Buffer.from(names),
});

const BUILD_ID = '0123456789abcdef';
const RECORDED = { buildId: BUILD_ID, reference: { name: '__first', address: BASE + 0x40 } };
const ROOTS = { root: '', cache: '/home/.debug' };
const COPIES = `/home/.debug/[kernel.kcore]/${BUILD_ID}`;
const MOVED = KALLSYMS.replaceAll('ffffffff81', 'ffffffff82');

/** As in /sys/kernel/notes. */
function notes(buildId: string): Uint8Array {
  const id = Buffer.from(buildId, 'hex');
  const head = Buffer.from([4, 0, 0, 0, id.length, 0, 0, 0, 3, 0, 0, 0]);
  return Buffer.concat([head, Buffer.from('GNU\0'), id]);
}

test('finds the kernel beside the data', () => {
  const files = filesOf({ ...copyIn('/r/kcore_dir', MOVED), ...copyIn('/proc'), '/sys/kernel/notes': notes(BUILD_ID) });
  const found = findKernel('/r/data', RECORDED, files, { root: '/other', cache: null });
  expect(found).toEqual({ code: '/r/kcore_dir/kcore', symbols: '/r/kcore_dir/kallsyms' });
  expect(found && kernelSegments(found, files)).toEqual([{ start: BASE, length: 0x800, fileOffset: 0x1000 }]);
});

test.each([
  ['its code', { '/r/kcore_dir/kallsyms': Buffer.from(KALLSYMS) }],
  ['its names', { '/r/kcore_dir/kcore': kcore() }],
])('finds no kernel without %s', (_, paths) => {
  expect(findKernel('/r/data', RECORDED, filesOf(paths), ROOTS)).toBeNull();
});

test.each([
  ['is the one that ran', RECORDED, KALLSYMS, '/proc'],
  ['has no build id in the recording', { ...RECORDED, buildId: null }, KALLSYMS, '/proc'],
  ['is another build', { ...RECORDED, buildId: 'ffff' }, KALLSYMS, null],
  ['was started again, and is elsewhere', RECORDED, MOVED, null],
  ['hides its addresses', RECORDED, KALLSYMS.replaceAll(/^f{8}[0-9a-f]{8}/gm, '0'.repeat(16)), null],
  ['is not known at all', { buildId: null, reference: null }, KALLSYMS, null],
])('looks at the kernel that runs now, which %s', (_, recorded, names, folder) => {
  const files = filesOf({ ...copyIn('/proc', names), '/sys/kernel/notes': notes(BUILD_ID) });
  expect(findKernel('/r/data', recorded, files, ROOTS)?.code ?? null).toBe(folder && `${folder}/kcore`);
});

test("finds perf's copy of the kernel that is where it was", () => {
  const files = filesOf({ ...copyIn(`${COPIES}/2026010100000000`, MOVED), ...copyIn(`${COPIES}/2026010200000000`) });
  const found = findKernel('/r/data', RECORDED, files, ROOTS);
  expect(found?.symbols).toBe(`${COPIES}/2026010200000000/kallsyms`);
  expect(findKernel('/r/data', RECORDED, files, { ...ROOTS, root: '/symfs' })).toBeNull();
});

test('reads names to the end, though the length of the file is 0, as in /proc', () => {
  const files = filesOf(copyIn('/proc'));
  const open = (path: string) => ({ ...(files.open(path) as ReturnType<typeof sourceOf>), length: 0, close: () => {} });
  expect(kernelSymbols(kernelAt('/proc'), { open }).named('weak')).toBe(BASE + 0x80);
});

test('reads no more of the names than a kernel has', () => {
  const line = Buffer.from(`ffffffff81000000 t ${'again'.padEnd(44, '_')}\n`); // 64 bytes
  let bytes = 0;
  const read = (_: number, length: number) => {
    bytes += length;
    return Buffer.alloc(length, line);
  };
  const files = { open: () => ({ length: 2 ** 40, read, close: () => {} }) };
  expect(kernelSymbols(kernelAt('/r'), files).at(BASE)?.name).toMatch(/^again/);
  expect(bytes).toBe(MAX_KALLSYMS_BYTES);
});

function kernelAt(folder: string) {
  return { code: `${folder}/kcore`, symbols: `${folder}/kallsyms` };
}

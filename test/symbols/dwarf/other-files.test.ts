/**
 * Finds inlined functions whose entries are in other files: of split units, in packages of these, and where dwz moved them; and in
 * sections that zstd compressed.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { sourceOf } from '../../../src/symbols/byte-source.js';
import { debugReader, inlinedFunctions } from '../../../src/symbols/debug-info.js';
import { buildIdOf, loadedSegments, readElf, sectionNamed } from '../../../src/symbols/elf-file.js';

const FIXTURES = join(import.meta.dirname, '../../../fixtures/dwarf/others');
const bytesOf = (name: string) => new Uint8Array(gunzipSync(readFileSync(join(FIXTURES, `${name}.gz`))));

function callsOf(compiler: 'gcc' | 'clang') {
  const lines = readFileSync(join(FIXTURES, `${compiler}.txt`), 'utf8').trimEnd();
  return lines.split('\n').map((line) => {
    const [address = '', chain = ''] = line.split(' ');
    return { address: Number.parseInt(address, 16), chain };
  });
}

/** Asks about the calls of a binary at `/bin/program`, on a machine that has these other files. */
async function ask(name: string, others: Readonly<Record<string, Uint8Array>>, root = '', memoryBytes = 2 ** 30) {
  const binary = bytesOf(name);
  const { elf } = readElf(sourceOf(binary));
  if (elf === null) throw new Error('no ELF file');
  const calls = callsOf(name.startsWith('package-5') ? 'clang' : 'gcc');
  const offsetOf = (address: number) => {
    const own = loadedSegments(elf).find((one) => address >= one.address && address < one.address + one.fileLength);
    return own === undefined ? Number.NaN : address - own.address + own.offset;
  };
  const files: Readonly<Record<string, Uint8Array>> = { [`${root}/bin/program`]: binary, ...others };
  let opened = 0;
  const open = (path: string) => {
    if (files[path] === undefined) return null;
    opened++;
    return { ...sourceOf(files[path]), close: () => void opened-- };
  };
  const told: unknown[] = [];
  const found = inlinedFunctions(
    '/bin/program',
    calls.map(({ address }) => ({ fn: { name: '', offset: 0 }, offset: offsetOf(address) })),
    {
      files: { open },
      roots: { root, cache: null },
      buildIdOf: () => buildIdOf(elf),
      reader: await debugReader(memoryBytes),
      onBinary: (_, states, missing) => told.push([states, missing]),
    },
  );
  expect(opened).toBe(0);
  return { chains: found.map((chain) => chain.join(';')), expected: calls.map(({ chain }) => chain), told };
}

async function expectAll(name: string, others: Readonly<Record<string, Uint8Array>>, root = ''): Promise<void> {
  const { chains, expected, told } = await ask(name, others, root);
  expect(chains).toEqual(expected);
  expect(chains.filter((chain) => chain !== '').length).toBeGreaterThan(8);
  expect(told).toEqual([[['read'], []]]);
}

describe.each(['4', '5'])('a split unit of DWARF %s', (version) => {
  const dwo = bytesOf(`split-${version}.dwo`);
  const name = `split-${version}.dwo`;

  test.each([
    ['where it was built', `/src/${name}`, ''],
    ['beside the binary', `/bin/${name}`, ''],
    ['where debug information is installed', `/usr/lib/debug/src/${name}`, ''],
    ['below --symfs', `/files/src/${name}`, '/files'],
  ])('is found %s', (_, path, root) => expectAll(`split-${version}`, { [path]: dwo }, root));

  test('that is not found, or of another build, is named', async () => {
    const other = bytesOf(`split-${version === '4' ? 5 : 4}.dwo`);
    for (const files of [{}, { [`/src/${name}`]: other }, { [`/src/${name}`]: dwo.subarray(0, 700) }]) {
      const { chains, told } = await ask(`split-${version}`, files);
      expect(chains.join('')).toBe('');
      expect(told).toEqual([[['missing'], [name]]]);
    }
  });
});

test.each([
  ['package-5', 'package-5.dwp', '/bin/program.dwp'],
  ['split-4', 'package-4.dwp', '/usr/lib/debug/bin/program.dwp'],
])('a package has the split units of %s', (name, dwp, path) => expectAll(name, { [path]: bytesOf(dwp) }));

test('a package has a split unit whose place in the index another one took', () => {
  const dwp = Buffer.from(bytesOf('package-4.dwp'));
  const index = sectionNamed(readElf(sourceOf(dwp)).elf ?? expect.fail(), '.debug_cu_index')?.offset ?? 0;
  const slots = dwp.readUInt32LE(index + 12);
  const [idAt, rowAt] = [(slot: number) => index + 16 + 8 * slot, (slot: number) => index + 16 + 8 * slots + 4 * slot];
  const places = Array.from({ length: slots }, (_, slot) => slot);
  const first = places.find((slot) => dwp.readUInt32LE(rowAt(slot)) !== 0) as number;
  const id = dwp.readBigUInt64LE(idAt(first));
  const step = Number((id >> 32n) % BigInt(slots)) | 1;
  const next = (first + step) % slots;
  expect(step).toBeGreaterThan(1);
  dwp.writeBigUInt64LE(id, idAt(next));
  dwp.writeUInt32LE(1, rowAt(next));
  dwp.writeBigUInt64LE(id ^ (1n << 63n), idAt(first));
  dwp.writeUInt32LE(7, rowAt(first)); // read as the row, it is beyond the index
  return expectAll('split-4', { '/bin/program.dwp': dwp });
});

describe.each(['4', '5'])('entries that dwz moved to another file, DWARF %s', (version) => {
  const name = `shared-${version}`;
  const common = bytesOf(`common-${version}`);

  test.each([
    ['where it was made', `/src/common-${version}`, ''],
    ['beside the binary', `/bin/common-${version}`, ''],
    ['where dwz files are installed', `/usr/lib/debug/.dwz/common-${version}`, ''],
    ['below --symfs', `/files/src/common-${version}`, '/files'],
  ])('are found %s', (_, path, root) => expectAll(name, { [path]: common }, root));

  test('in a file that is missing, or of another build, have no name, and it is told', async () => {
    const wrong = bytesOf(`common-${version === '4' ? 5 : 4}`);
    for (const files of [{}, { [`/src/common-${version}`]: wrong }]) {
      const { chains, expected, told } = await ask(name, files);
      expect(chains).not.toEqual(expected);
      expect(told).toEqual([[['missing'], [`/src/common-${version}`]]]);
    }
  });
});

test('a file that dwz made is found by its build id', () => {
  const common = bytesOf('common-4');
  const id = buildIdOf(readElf(sourceOf(common)).elf ?? expect.fail()) ?? '';
  return expectAll('shared-4', { [`/usr/lib/debug/.build-id/${id.slice(0, 2)}/${id.slice(2)}.debug`]: common });
});

test('sections that zstd compressed are read', () => expectAll('zstd-5', {}));

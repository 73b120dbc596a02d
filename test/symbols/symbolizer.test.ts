/**
 * Names addresses of mappings, from the file that has the symbols.
 */
import { describe, expect, test } from 'vitest';
import type { Mapping } from '../../src/model/trace/trace-chunk.js';
import { sourceOf } from '../../src/symbols/byte-source.js';
import { buildIdWithoutSymbols } from '../../src/symbols/load-binary.js';
import { DISK_FILES } from '../../src/symbols/symbol-files.js';
import { Symbolizer, type SymbolizerOptions } from '../../src/symbols/symbolizer.js';
import { type ProgramParts, program, TEXT_ADDRESS, TEXT_OFFSET } from './elf-builder.js';

const ID = 'abcdef0123456789abcdef0123456789abcdef01';
const OTHER_ID = '99cdef0123456789abcdef0123456789abcdef99';
const START = 0x7f0000001000;
const mapping: Mapping = { pid: 7, timeNs: 0, start: START, length: 0x4000, fileOffset: TEXT_OFFSET, file: '/bin/a' };

function named(name: string, more: ProgramParts = {}): Uint8Array {
  return program({ symbols: [{ name, value: TEXT_ADDRESS, size: 8 }], buildId: ID, ...more });
}

function machine(files: Readonly<Record<string, Uint8Array>>, options: Partial<SymbolizerOptions> = {}) {
  const opened: string[] = [];
  const open = (path: string) => {
    if (files[path] === undefined) return null;
    opened.push(path);
    return { ...sourceOf(files[path]), close: () => void opened.splice(opened.indexOf(path), 1) };
  };
  const roots = { root: '', cache: '/home/.debug', debuginfod: '/debuginfod' };
  return { symbolizer: new Symbolizer({ files: { open }, roots, buildIdOf: () => null, ...options }), opened };
}

const stripped = program({
  dynamic: [{ name: 'dynamic', value: TEXT_ADDRESS, size: 8 }],
  buildId: ID,
  debugLink: 'a.debug',
});

test('names the function, its file and its start', () => {
  const { symbolizer, opened } = machine({ '/bin/a': named('main') });
  expect(symbolizer.nameOf(mapping, START + 4)).toEqual({ name: 'main', file: '/bin/a', start: START });
  expect(opened).toEqual([]);
});

describe('an address has no name if', () => {
  test('no symbol is there', () => {
    const { symbolizer } = machine({ '/bin/a': named('main') });
    expect(symbolizer.nameOf(mapping, START + 8)).toEqual({ name: null, file: '/bin/a', reason: 'no symbol there' });
  });

  test('its offset in the file is unknown', () => {
    const { symbolizer } = machine({ '/bin/a': named('main') });
    const unknown = { ...mapping, fileOffset: Number.NaN };
    expect(symbolizer.nameOf(unknown, START)).toEqual({ name: null, file: '/bin/a', reason: 'no symbols' });
  });

  test('the file claims an impossible length', () => {
    const endless = { length: 2 ** 45, read: () => new Uint8Array(0), close: () => {} };
    const { symbolizer } = machine({}, { files: { open: () => endless } });
    expect(symbolizer.nameOf({ ...mapping, file: '//anon' }, START).name).toBeNull();
    expect(symbolizer.nameOf(mapping, START).name).toBeNull();
  });

  test.each<[string, Readonly<Record<string, Uint8Array>>, Partial<SymbolizerOptions>]>([
    ['file not found', {}, {}],
    ['not an ELF file', { '/bin/a': new Uint8Array(100) }, {}],
    ['another build id', { '/bin/a': named('main') }, { buildIdOf: () => OTHER_ID }],
  ])('its file has no symbols: %s', (_, files, options) => {
    const { symbolizer } = machine(files, options);
    expect(symbolizer.nameOf(mapping, START)).toMatchObject({ name: null, reason: 'no symbols' });
  });
});

describe('symbols are found in', () => {
  test.each([
    '/bin/a.debug',
    '/bin/.debug/a.debug',
    '/usr/lib/debug/bin/a.debug',
    '/usr/lib/debug/bin/a',
    `/usr/lib/debug/.build-id/ab/${ID.slice(2)}.debug`,
    `/home/.debug/.build-id/ab/${ID.slice(2)}/debug`,
    `/debuginfod/${ID}/debuginfo`,
  ])('%s', (path) => {
    const { symbolizer } = machine({ '/bin/a': stripped, [path]: named('full') });
    expect(symbolizer.nameOf(mapping, START).name).toBe('full');
  });

  test("perf's copy, before the file itself", () => {
    const cached = { [`/home/.debug/.build-id/ab/${ID.slice(2)}/elf`]: named('cached') };
    const { symbolizer } = machine(
      { '/bin/a': named('now', { buildId: OTHER_ID }), ...cached },
      { buildIdOf: () => ID },
    );
    expect(symbolizer.nameOf(mapping, START).name).toBe('cached');
  });

  test('an executable of debuginfod, instead of a binary of another build', () => {
    const files = {
      '/bin/a': named('now', { buildId: OTHER_ID }),
      [`/debuginfod/${ID}/executable`]: named('recorded'),
    };
    const { symbolizer } = machine(files, { buildIdOf: () => ID });
    expect(symbolizer.nameOf(mapping, START).name).toBe('recorded');
  });

  test.each<[string, Readonly<Record<string, Uint8Array>>, string | null, string | null]>([
    ['has symbols', { '/bin/a': named('main') }, ID, null],
    ['is stripped', { '/bin/a': stripped }, null, ID],
    ['is stripped, with a debug file', { '/bin/a': stripped, '/bin/a.debug': named('full') }, ID, null],
    ['is missing', {}, ID, ID],
    ['is missing, without a build id', {}, null, null],
    ['is of another build', { '/bin/a': named('now', { buildId: OTHER_ID }) }, ID, ID],
  ])('the build id to ask debuginfod for is known: the binary %s', (_, all, recordedId, expected) => {
    const open = (path: string) => (all[path] === undefined ? null : { ...sourceOf(all[path]), close: () => {} });
    expect(buildIdWithoutSymbols('/bin/a', recordedId, { open }, { root: '', cache: null })).toBe(expected);
  });

  test('files below --symfs only', () => {
    const files = { '/root/bin/a': stripped, '/root/usr/lib/debug/bin/a': named('below'), '/bin/a': named('outside') };
    const { symbolizer } = machine(files, { roots: { root: '/root', cache: null } });
    expect(symbolizer.nameOf(mapping, START).name).toBe('below');
  });

  test.each([
    ['of another version', named('other', { buildId: OTHER_ID })],
    ['without symbols', program({ buildId: ID })],
    ['that is not an ELF file', new Uint8Array(100)],
  ])('no debug file %s', (_, debug) => {
    const { symbolizer } = machine({ '/bin/a': stripped, '/bin/a.debug': debug });
    expect(symbolizer.nameOf(mapping, START).name).toBe('dynamic');
  });
});

describe('JIT code', () => {
  const anonymous: Mapping = { ...mapping, file: '//anon', fileOffset: 0 };
  const map = Buffer.from(
    '7f0000001000 10 LazyCompile:~f a.js:1\nnonsense\n0x7F0000001010  8 grün\n\n7f0000001020 0 empty\n7f0000001030 8 no',
  );

  test.each([
    [START, 'LazyCompile:~f a.js:1'],
    [START + 0xf, 'LazyCompile:~f a.js:1'],
    [START + 0x10, 'grün'],
    [START + 0x18, null],
    [START + 0x20, 'empty'],
    [START + 0x21, null],
    [START + 0x30, null],
  ])('%d is %s', (address, name) => {
    const { symbolizer } = machine({ '/tmp/perf-7.map': map });
    expect(symbolizer.nameOf(anonymous, address)).toMatchObject({ name, file: '/tmp/perf-7.map' });
  });

  test('has no names without a perf map', () => {
    const { symbolizer } = machine({});
    expect(symbolizer.nameOf(anonymous, START)).toMatchObject({ name: null, reason: 'no symbols' });
  });
});

describe('the vdso', () => {
  const vdso: Mapping = { ...mapping, file: '[vdso]' };

  test("has the names of perf's copy", () => {
    const cached = { [`/home/.debug/.build-id/ab/${ID.slice(2)}/vdso`]: named('__vdso_time') };
    const { symbolizer } = machine(cached, { buildIdOf: () => ID });
    expect(symbolizer.nameOf(vdso, START)).toMatchObject({ name: '__vdso_time', file: '[vdso]' });
  });

  test('has the names of our own vdso, as for perf', () => {
    const file = DISK_FILES.open('[vdso]');
    if (process.platform !== 'linux' || file === null) return;
    const bytes = file.read(0, file.length);
    expect(program({ symbols: [] }).subarray(0, 4)).toEqual(bytes.subarray(0, 4));
    file.close();
  });
});

test('reads parts of files on disk', () => {
  const file = DISK_FILES.open(process.execPath);
  expect([...(file?.read(1, 3) ?? [])]).toEqual([0x45, 0x4c, 0x46]);
  file?.close();
  expect([DISK_FILES.open('/'), DISK_FILES.open('/no/such/file')]).toEqual([null, null]);
});

/**
 * Reads packs, written by ptflame or forged: files are extracted into the directory, and nowhere else.
 */
import { createWriteStream } from 'node:fs';
import { mkdir, readFile, rm, truncate } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { type Headers, pack } from 'tar-stream';
import { describe, expect } from 'vitest';
import { firstBytes } from '../../../src/perfdata/open-recording.js';
import type { Limits } from '../../../src/perfdata/pack/entries.js';
import type { Manifest } from '../../../src/perfdata/pack/manifest.js';
import { readPack } from '../../../src/perfdata/pack/read-pack.js';
import { type PackedFile, writePack } from '../../../src/perfdata/pack/write-pack.js';
import { isPack } from '../../../src/perfdata/recognize.js';
import { type Directory, fixturePath, test } from '../../helpers/cli/run-cli.js';

const MANIFEST: Manifest = { format: 'ptflame-pack', version: 1, name: 'perf.data', missing: [], hasKallsyms: false };
const NEVER = new AbortController().signal;

interface Entry extends Partial<Headers> {
  readonly name: string;
  readonly content?: string;
  /** Attributes in an additional header before it. */
  readonly pax?: Readonly<Record<string, string>>;
}

const LIST: Entry = { name: 'ptflame-pack.json', content: JSON.stringify(MANIFEST) };
const RECORDING: Entry = { name: 'recording', content: 'trace' };

async function packOf(dir: Directory, entries: readonly Entry[]): Promise<string> {
  const archive = pack();
  for (const { content = '', ...header } of entries) archive.entry(header, content);
  archive.finalize();
  await pipeline(archive, createGzip(), createWriteStream(dir.file('x.pack')));
  return dir.file('x.pack');
}

async function unpacked(dir: Directory, path: string, limits?: Limits): Promise<Manifest> {
  await mkdir(dir.file('below/place'), { recursive: true });
  return readPack(path, dir.file('below/place'), NEVER, limits);
}

async function written(dir: Directory, files: readonly PackedFile[]): Promise<string> {
  await pipeline(writePack(MANIFEST, files), createWriteStream(dir.file('x.pack')));
  return dir.file('x.pack');
}

const RECORDING_DATA: PackedFile = { name: 'recording/data', source: Buffer.from('trace') };

describe('reads back what was written', () => {
  test('with names of any length and language, empty files, and duplicates', async ({ dir }) => {
    const files = [
      { name: 'recording/data', source: Buffer.from('trace') },
      { name: `root/${'long/'.repeat(80)}${'x'.repeat(200)}`, source: Buffer.from('long') },
      { name: 'root/ünïcode 漢字', source: await dir.write('source', 'from a file') },
      { name: 'root/empty', source: await dir.write('empty', '') },
      { name: 'root/twice', source: Buffer.from('twice') },
      { name: 'root/twice', source: Buffer.from('twice') },
    ];
    const path = await written(dir, files);
    expect(isPack(firstBytes(path))).toBe(true);
    expect(await unpacked(dir, path)).toEqual(MANIFEST);
    for (const { name, source } of files) {
      const content = typeof source === 'string' ? await readFile(source) : source;
      expect(await readFile(dir.file(`below/place/${name}`))).toEqual(Buffer.from(content));
    }
  });

  test('with zeros for what is not needed of a file', async ({ dir }) => {
    const source = await dir.write('source', 'x'.repeat(200_000));
    const needed = [
      { start: 130_000, end: 140_000 }, // in two blocks
      { start: 199_000, end: 300_000 }, // beyond the end
      { start: 10, end: 20 },
      { start: 15, end: 30 },
    ];
    await unpacked(dir, await written(dir, [RECORDING_DATA, { name: 'root/kcore', source, needed }]));
    const kept = await readFile(dir.file('below/place/root/kcore'), 'latin1');
    const parts = [...kept.matchAll(/x+/g)].map(({ index, 0: part }) => [index, index + part.length]);
    expect([kept.length, ...parts]).toEqual([200_000, [10, 30], [130_000, 140_000], [199_000, 200_000]]);
  });

  test('and names a file that shrinks meanwhile', async ({ dir }) => {
    const source = '/sys/kernel/uevent_seqnum'; // claims to have 4096 bytes
    await expect(written(dir, [{ name: 'root/x', source }])).rejects.toMatchObject({
      code: 'INPUT_UNREADABLE',
      message: expect.stringContaining(source),
    });
  });

  test('and names a file that is gone', async ({ dir }) => {
    const source = dir.file('gone');
    await expect(written(dir, [{ name: 'root/x', source }])).rejects.toMatchObject({ code: 'INPUT_UNREADABLE' });
  });
});

describe('refuses', () => {
  const content = 'x';
  test('a file whose size is not a number', async ({ dir }) => {
    const message = expect.stringContaining('it gives no size for "ptflame-pack.json"');
    await expect(unpacked(dir, fixturePath('hostile/silent.pack'))).rejects.toMatchObject({ message });
  });

  test.for<[string, Entry[]]>([
    ['a path out of the directory', [LIST, RECORDING, { name: 'root/../../evil', content }]],
    ['a path directly out of the directory', [LIST, RECORDING, { name: '../evil', content }]],
    ['an absolute name', [LIST, RECORDING, { name: '/tmp/evil', content }]],
    ['a symbolic link', [LIST, RECORDING, { name: 'root/x', type: 'symlink', linkname: '/etc/passwd' }]],
    ['a hard link', [LIST, RECORDING, { name: 'root/x', type: 'link', linkname: '/etc/passwd' }]],
    ['a device', [LIST, RECORDING, { name: 'root/x', type: 'character-device' }]],
    ['a pipe', [LIST, RECORDING, { name: 'root/x', type: 'fifo' }]],
    ['a directory', [LIST, RECORDING, { name: 'root/x', type: 'directory' }]],
    ['a directory declared as a file', [LIST, RECORDING, { name: 'root/x/', content }]],
    ['a file twice', [LIST, RECORDING, { name: 'root/x', content }, { name: 'root/x', content }]],
    ['a file below a file', [LIST, RECORDING, { name: 'root/x', content }, { name: 'root/x/y', content }]],
    ['a name too long for a file', [LIST, RECORDING, { name: `root/${'x'.repeat(300)}`, content }]],
    ['a name too long for a path', [LIST, RECORDING, { name: `root/${'x/'.repeat(3000)}y`, content }]],
    ['an unexpected file', [LIST, RECORDING, { name: 'evil\u001b[31m', content }]],
    ['no size', [LIST, { ...RECORDING, pax: { size: 'none' } }]],
    ['a negative size', [LIST, { ...RECORDING, pax: { size: '-1' } }]],
    ['two manifests', [LIST, LIST, RECORDING]],
    ['no manifest', [RECORDING]],
    ['a manifest that is a link', [{ name: LIST.name, type: 'symlink', linkname: '/etc/passwd' }, RECORDING]],
    ['a manifest that is not JSON', [{ ...LIST, content: '{bad' }, RECORDING]],
    ['an empty manifest', [{ ...LIST, content: 'null' }, RECORDING]],
    ['a manifest of another version', [{ ...LIST, content: JSON.stringify({ ...MANIFEST, version: 0 }) }, RECORDING]],
    ['no recording', [LIST, { name: 'root/x', content }]],
    ['no kallsyms', [{ ...LIST, content: JSON.stringify({ ...MANIFEST, hasKallsyms: true }) }, RECORDING]],
  ])('%s', async ([, entries], { dir }) => {
    const refusal = unpacked(dir, await packOf(dir, entries));
    await expect(refusal).rejects.toMatchObject({ code: 'PACK_DAMAGED' });
    await expect(refusal).rejects.not.toThrow(/\n/);
    expect(await dir.names()).toEqual(['below', 'x.pack']);
  });

  test('a pack of a newer version', async ({ dir }) => {
    const path = await packOf(dir, [{ ...LIST, content: '{"version":2}' }]);
    await expect(unpacked(dir, path)).rejects.toMatchObject({ code: 'NEWER_VERSION' });
  });

  test('a header without an end, before it fills the memory', async ({ dir }) => {
    const endless = { name: 'root/x', content, pax: { comment: 'x'.repeat(3 * 1024 * 1024) } };
    const path = await packOf(dir, [LIST, RECORDING, endless]);
    expect(isPack(firstBytes(path))).toBe(true);
    await expect(unpacked(dir, path)).rejects.toMatchObject({ code: 'PACK_DAMAGED' });
  });

  test('more files, or more folders, than a pack has', async ({ dir }) => {
    const files = [LIST, RECORDING, { name: 'root/a/b/c', content: '' }, { name: 'root/a/d', content: '' }];
    const path = await packOf(dir, files); // four files, three folders
    for (const [limits, what] of [
      [{ files: 3, folders: 3 }, '3 files'],
      [{ files: 4, folders: 2 }, '2 folders'],
    ] as const) {
      const message = expect.stringContaining(`more than ${what}`);
      await expect(unpacked(dir, path, limits)).rejects.toMatchObject({ code: 'PACK_DAMAGED', message });
      await rm(dir.file('below'), { recursive: true });
    }
    expect(await unpacked(dir, path, { files: 4, folders: 3 })).toEqual(MANIFEST);
  });

  test('folders by the thousand, which take minutes to remove', async ({ dir }) => {
    const path = await packOf(dir, [
      LIST,
      RECORDING,
      ...Array.from({ length: 5001 }, (_, at) => ({ name: `root/${at}/x`, content: '' })),
    ]);
    await expect(unpacked(dir, path)).rejects.toMatchObject({ message: expect.stringContaining('5000 folders') });
  });

  test('a pack that unpacks to far more than binaries and traces do, before it fills the disk', async ({ dir }) => {
    const path = await packOf(dir, [LIST, { ...RECORDING, content: '\0'.repeat(120_000_000) }]);
    await expect(unpacked(dir, path)).rejects.toMatchObject({
      code: 'PACK_DAMAGED',
      message: expect.stringContaining('unpacks to more than'),
    });
  });
});

test('blames the machine, not the pack, if it is at fault', async ({ dir }) => {
  const path = await packOf(dir, [LIST, RECORDING]);
  await expect(readPack(path, '/proc', NEVER)).rejects.toMatchObject({ code: 'TEMPORARY_FILE' });
  await expect(readPack(dir.file('none'), dir.path, NEVER)).rejects.toMatchObject({ code: 'INPUT_UNREADABLE' });
});

test('recognizes packs', async ({ dir }) => {
  const path = await packOf(dir, [LIST, { ...RECORDING, content: '\0'.repeat(20_000_000) }]);
  expect(isPack(firstBytes(path))).toBe(true);
  await truncate(path, 300);
  expect(isPack(firstBytes(path))).toBe(true);
  for (const content of ['', '\x1f', '\x1f\x8b', 'text'])
    expect(isPack(firstBytes(await dir.write('no', content)))).toBe(false);
});

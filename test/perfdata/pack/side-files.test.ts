/**
 * What is next to a recording is packed with it, and nothing else that has its name.
 */
import { mkdir, symlink } from 'node:fs/promises';
import { describe, expect } from 'vitest';
import type { Manifest } from '../../../src/perfdata/pack/manifest.js';
import { readPack } from '../../../src/perfdata/pack/read-pack.js';
import { sideFiles, writePack } from '../../../src/perfdata/pack/write-pack.js';
import { type Directory, test } from '../../helpers/cli/run-cli.js';

const UID = process.getuid?.() ?? 0;
const WAKINGS = 'PERFILE2 wakings';
const FORMATS = 'event sched:sched_waking\nname: sched_waking\n';

const namesOf = async (dir: Directory, uid = UID) =>
  (await sideFiles(dir.file('r.data'), uid, 'recording')).map(({ name }) => name);

describe('side files', () => {
  test('are read from the pack as they were', async ({ dir }) => {
    const recording = await dir.write('r.data', 'PERFILE2');
    await dir.write('r.data.wakes.data', WAKINGS);
    await dir.write('r.data.formats', FORMATS);
    const files = [{ source: recording, name: 'recording' }, ...(await sideFiles(recording, UID, 'recording'))];
    const manifest: Manifest = { format: 'ptflame-pack', version: 1, name: 'r.data', missing: [], hasKallsyms: false };
    const pack: Uint8Array[] = [];
    for await (const bytes of writePack(manifest, files)) pack.push(bytes);
    await mkdir(dir.file('to'));
    await readPack(await dir.write('r.pack', Buffer.concat(pack)), dir.file('to'), new AbortController().signal);
    expect(await dir.read('to/recording.wakes.data')).toBe(WAKINGS);
    expect(await dir.read('to/recording.formats')).toBe(FORMATS);
  });

  test('need not exist', async ({ dir }) => {
    expect(await namesOf(dir)).toEqual([]);
  });

  test('of another kind are left out', async ({ dir }) => {
    await dir.write('r.data.wakes.data', 'root:x:0:0');
    await dir.write('r.data.formats', 'event\n');
    expect(await namesOf(dir)).toEqual([]);
  });

  test('are left out if they are links, or belong to another user', async ({ dir }) => {
    await dir.write('r.data.formats', FORMATS);
    await symlink(await dir.write('other', WAKINGS), dir.file('r.data.wakes.data'));
    expect(await namesOf(dir)).toEqual(['recording.formats']);
    expect(await namesOf(dir, UID + 1)).toEqual([]);
  });
});

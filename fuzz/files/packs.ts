/**
 * Fuzzes packs: each is unpacked or rejected, and no file is written outside the named directory.
 */
import assert from 'node:assert/strict';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { gunzipSync, gzipSync } from 'node:zlib';
import { type Headers, pack } from 'tar-stream';
import { PtflameError } from '../../src/model/errors.js';
import type { Manifest } from '../../src/perfdata/pack/manifest.js';
import { readPack } from '../../src/perfdata/pack/read-pack.js';
import { writePack } from '../../src/perfdata/pack/write-pack.js';
import type { Kind } from '../kind.js';
import { Random } from '../random.js';
import { mutated } from './mutate.js';
import { randomRecording } from './random-recording.js';

const NAMES = [
  'recording',
  'recording/data',
  'root/bin/a',
  'root/../../escaped',
  '../escaped',
  '/escaped',
  'root',
  'root/a/../b',
  'kallsyms',
  'recording.ptflame.json',
  `root/${'long/'.repeat(60)}x`,
  'root/ünï',
];
const TYPES = ['file', 'file', 'file', 'symlink', 'link', 'directory', 'fifo', 'character-device'] as const;
const NEVER = new AbortController().signal;

/** `directory`: for the files. */
export function packs(seed: number, directory: string): Kind {
  return {
    isText: false,
    sizeOf: () => 1,
    async make(number) {
      const random = new Random(seed, number);
      const isOurs = random.oneIn(2);
      const archive = await (isOurs ? writtenPack(random) : oddPack(random));
      const steps = [isOurs ? 'written' : 'odd entries'];
      if (random.oneIn(2)) return { number, bytes: mutated(archive, random, steps), steps };
      steps.push('unzipped');
      return { number, bytes: gzipSync(mutated(gunzipSync(archive), random, steps)), steps };
    },
    async check({ bytes }) {
      const target = join(directory, 'outer', 'target');
      await mkdir(target, { recursive: true });
      try {
        await writeFile(join(directory, 'x.pack'), bytes);
        await unpack(join(directory, 'x.pack'), target);
        assert.deepEqual(await readdir(join(directory, 'outer')), ['target'], 'a file is outside the directory');
      } finally {
        await rm(join(directory, 'outer'), { recursive: true });
      }
      return { parserMs: 0 };
    },
  };
}

async function unpack(path: string, target: string): Promise<void> {
  try {
    await readPack(path, target, NEVER);
  } catch (error) {
    if (!(error instanceof PtflameError)) throw error;
    return;
  }
  const files = await readdir(target, { recursive: true, withFileTypes: true });
  assert(
    files.every((file) => file.isFile() || file.isDirectory()),
    'it contains something other than files',
  );
}

function manifest(random: Random): Manifest {
  const missing = random.oneIn(3) ? [{ path: random.pick(NAMES), why: 'missing' as const }] : [];
  return { format: 'ptflame-pack', version: 1, name: random.pick(NAMES), missing, hasKallsyms: random.oneIn(4) };
}

function writtenPack(random: Random): Promise<Buffer> {
  const files = NAMES.filter(() => random.oneIn(3)).map((name) => ({ name, source: randomRecording(random) }));
  return buffer(Readable.from(writePack(manifest(random), files)));
}

/** Entries of any type, with names that point elsewhere. */
function oddPack(random: Random): Promise<Buffer> {
  const archive = pack();
  const list = JSON.stringify({ ...manifest(random), ...(random.oneIn(3) ? { version: random.below(4) } : {}) });
  if (!random.oneIn(8)) archive.entry({ name: 'ptflame-pack.json' }, list);
  for (let left = random.below(6); left > 0; left--) {
    const type = random.pick(TYPES);
    const header: Headers = { name: random.pick(NAMES), type, linkname: random.pick(NAMES), mode: random.below(4096) };
    archive.entry(header, type === 'file' ? Buffer.alloc(random.below(2000), 7) : undefined);
  }
  archive.finalize();
  return buffer(archive).then((bytes) => gzipSync(bytes));
}

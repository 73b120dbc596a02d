/**
 * However long a chunk takes to make, Ctrl-C ends it; an output that nobody reads to its end closes what makes it.
 */
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { build } from 'esbuild';
import { execa } from 'execa';
import { expect } from 'vitest';
import { writeChunks } from '../../../cli/output/write-chunks.js';
import { test } from '../../helpers/cli/run-cli.js';

const MODULE = join(import.meta.dirname, '../../../cli/output/write-chunks.ts');
const ENDLESS = `
  import { writeSync } from 'node:fs';
  import { writeChunks } from ${JSON.stringify(MODULE)};
  const alive = setInterval(() => {}, 1000);
  process.on('SIGINT', () => {
    writeSync(1, 'handled ');
    clearInterval(alive);
  });
  function* chunks() {
    yield 'a';
    writeSync(1, 'begun ');
    for (;;);
  }
  writeChunks(chunks(), process.stderr, 'x', { end: false }).catch(({ code }) => writeSync(1, code + ' '));
`;

test('Ctrl-C ends a chunk without end', async ({ dir }) => {
  const script = await dir.write('endless.ts', ENDLESS);
  const outfile = dir.file('endless.mjs');
  await build({ entryPoints: [script], outfile, bundle: true, platform: 'node', format: 'esm', logLevel: 'silent' });
  const running = execa(process.execPath, [outfile], { timeout: 60_000 });
  await new Promise((begun) => running.stdout.once('data', begun));
  running.kill('SIGINT');
  const { stdout } = await running;
  expect(stdout.split(' ').sort()).toEqual(['', 'INTERRUPTED', 'begun', 'handled']);
});

test('texts are joined, bytes stay in their place, and the source is closed when writing fails', async () => {
  const written: string[] = [];
  let isClosed = false;
  function* chunks() {
    try {
      yield* ['a', 'b', Buffer.from('1'), 'c', '', Buffer.from('2'), Buffer.from('3'), 'd'];
    } finally {
      isClosed = true;
    }
  }
  const to = new Writable({
    write(chunk, _encoding, done) {
      written.push(String(chunk));
      done();
    },
  });
  await writeChunks(chunks(), to, 'x', { end: true });
  expect(written).toEqual(['ab', '1', 'c', '2', '3', 'd']);
  expect(isClosed).toBe(true);
  isClosed = false;
  const full = new Writable({ write: (_chunk, _encoding, done) => done(new Error('full')) });
  await expect(writeChunks(chunks(), full, 'x', { end: true })).rejects.toThrow('cannot write x');
  expect(isClosed).toBe(true);
});

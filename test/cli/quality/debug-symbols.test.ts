/**
 * What is said where much of the time is in functions without a symbol.
 */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { debugSymbolNotes } from '../../../cli/quality/debug-symbols.js';
import type { Profile } from '../../../src/index.js';
import { analyzeText } from '../../helpers/traces/load.js';

/** A file of this machine that has a build id. */
const NODE = process.execPath;

function trace(file: string | null, namelessNs: number): string {
  const behind = file === null ? '' : ` (${file})`;
  return [
    '7/7 [000] 5.000000000: tr strt 0 [unknown] => 401000 main+0x0',
    `7/7 [000] 5.000000100: call 401010 main+0x10 => 7f0000012340 [unknown]${behind}`,
    `7/7 [000] 5.${String(100 + namelessNs).padStart(9, '0')}: return 7f0000012350 [unknown]${behind} => 401015 main+0x15`,
    '',
  ].join('\n');
}

function places({ packages = {}, system = '' }: { packages?: Record<string, string>; system?: string } = {}) {
  const dir = mkdtempSync(join(tmpdir(), 'ptflame-dpkg-'));
  for (const [name, files] of Object.entries(packages)) writeFileSync(join(dir, `${name}.list`), files);
  writeFileSync(join(dir, 'os-release'), system);
  return { dpkgInfo: dir, osRelease: join(dir, 'os-release') };
}

test('nothing is said where nearly all time in code has names', async () => {
  expect(await debugSymbolNotes(await analyzeText(trace(NODE, 5)), places())).toEqual([]);
});

test('a file is named with its share, its package, and its build id with a server that may know it', async () => {
  const packages = { other: '/usr/other\n', 'nodejs:amd64': `/.\n${NODE.replace(/^\/usr/, '')}\n` };
  const notes = await debugSymbolNotes(
    await analyzeText(trace(NODE, 300)),
    places({ packages, system: 'ID=ubuntu\n' }),
  );
  expect(notes[0]).toBe('75 % of the time in code is in functions without a symbol');
  expect(notes[1]).toMatch(`75 % in ${NODE}: apt install nodejs-dbgsym`);
  expect(notes).toHaveLength(2);
});

test('a file is named alone on a system without packages of Debian, or if it is not there', async () => {
  const nowhere = { dpkgInfo: '/nowhere/at/all', osRelease: '/nowhere' };
  expect((await debugSymbolNotes(await analyzeText(trace('/nowhere/liba.so', 300)), nowhere))[1]).toBe(
    '  75 % in /nowhere/liba.so',
  );
});

test('nothing of this machine is said of a recording of another one', async () => {
  const profile = await analyzeText(trace(NODE, 300));
  const from = (host: string): Profile => ({
    ...profile,
    meta: { ...profile.meta, recorded: { host, kernel: null, cpu: null, perf: null, command: null, startedAt: null } },
  });
  const packages = { nodejs: `${NODE}\n` };
  expect((await debugSymbolNotes(from(hostname()), places({ packages })))[1]).toMatch('nodejs-dbgsym');
  expect((await debugSymbolNotes(from('elsewhere'), places({ packages })))[1]).not.toMatch('apt');
});

test('of text that does not tell the file it is said what makes perf tell it', async () => {
  expect((await debugSymbolNotes(await analyzeText(trace(null, 300)), places()))[1]).toMatch('--show-mmap-events');
});

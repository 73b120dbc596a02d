/**
 * Notes on time in functions without a symbol.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { debugSymbolNotes } from '../../../cli/output/debug-symbols.js';
import type { Profile } from '../../../src/index.js';
import { analyzeText } from '../../helpers/traces/load.js';

/** A binary of this machine with a build id. */
const NODE = process.execPath;

function trace(file: string | null, namelessNs: number): string {
  const suffix = file === null ? '' : ` (${file})`;
  return [
    '7/7 [000] 5.000000000: tr strt 0 [unknown] => 401000 main+0x0',
    `7/7 [000] 5.000000100: call 401010 main+0x10 => 7f0000012340 [unknown]${suffix}`,
    `7/7 [000] 5.${String(100 + namelessNs).padStart(9, '0')}: return 7f0000012350 [unknown]${suffix} => 401015 main+0x15`,
    '',
  ].join('\n');
}

function systemPaths({ packages = {}, system = '' }: { packages?: Record<string, string>; system?: string } = {}) {
  const dir = mkdtempSync(join(tmpdir(), 'ptflame-dpkg-'));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  for (const [name, files] of Object.entries(packages)) writeFileSync(join(dir, `${name}.list`), files);
  writeFileSync(join(dir, 'os-release'), system);
  return { dpkgInfo: dir, osRelease: join(dir, 'os-release') };
}

test('prints nothing if nearly all time in code has symbols', async () => {
  expect(await debugSymbolNotes(await analyzeText(trace(NODE, 5)), systemPaths())).toEqual([]);
});

test('lists a file with its share, package, build id and debuginfod server', async () => {
  const packages = { other: '/usr/other\n', 'nodejs:amd64': `/.\n${NODE.replace(/^\/usr/, '')}\n` };
  const notes = await debugSymbolNotes(
    await analyzeText(trace(NODE, 300)),
    systemPaths({ packages, system: 'ID=ubuntu\n' }),
  );
  expect(notes[0]).toBe('75 % of the time in code is in functions without a symbol');
  expect(notes[1]).toMatch(`75 % in ${NODE}: apt install nodejs-dbgsym`);
  expect(notes).toHaveLength(2);
});

test('lists only the file if it is missing or the system is not Debian', async () => {
  const nowhere = { dpkgInfo: '/nowhere/at/all', osRelease: '/nowhere' };
  expect((await debugSymbolNotes(await analyzeText(trace('/nowhere/liba.so', 300)), nowhere))[1]).toBe(
    '  75 % in /nowhere/liba.so',
  );
});

test('suggests no packages of this machine for a recording of another', async () => {
  const profile = await analyzeText(trace(NODE, 300));
  const from = (host: string): Profile => ({
    ...profile,
    meta: { ...profile.meta, recorded: { host, kernel: null, cpu: null, perf: null, command: null, startedAt: null } },
  });
  const packages = { nodejs: `${NODE}\n` };
  expect((await debugSymbolNotes(from(hostname()), systemPaths({ packages })))[1]).toMatch('nodejs-dbgsym');
  expect((await debugSymbolNotes(from('elsewhere'), systemPaths({ packages })))[1]).not.toMatch('apt');
});

test.each([
  ['anonymous memory', '//anon'],
  ['a perf map', '/tmp/perf-7.map'],
  ['memory with a name', '/memfd:jit (deleted)'],
  ['no file, as earlier versions wrote it', '[unknown]'],
])('suggests no symbols for code of a JIT compiler: %s', async (_, file) => {
  const text = trace(file, 300).replaceAll('main+0x0', 'main+0x0 (/opt/app)');
  for (const { symbols, ...profile } of [await analyzeText(text)]) {
    const printed = { ...symbols, dso: symbols.dso.map(() => 0), dsoName: [file] };
    for (const seen of [symbols, printed]) {
      const [, line = '', ...more] = await debugSymbolNotes({ ...profile, symbols: seen }, systemPaths());
      expect(line).toMatch(
        /^ {2}75 % outside every file, most likely code of a JIT compiler: node --perf-prof .* LuaJIT and/,
      );
      expect(more).toEqual([]);
    }
  }
});

test('of the kernel without symbols, suggests a copy of kallsyms; of the vdso, nothing', async () => {
  const lineOf = async (file: string) =>
    (await debugSymbolNotes(await analyzeText(trace(file, 300)), systemPaths()))[1];
  expect(await lineOf('[kernel.kallsyms]')).toMatch('  75 % in [kernel.kallsyms]: pass --kallsyms');
  expect(await lineOf('[vdso]')).toBe('  75 % in [vdso]');
});

test('suggests perf options for text without files', async () => {
  expect((await debugSymbolNotes(await analyzeText(trace(null, 300)), systemPaths()))[1]).toMatch('--show-mmap-events');
});

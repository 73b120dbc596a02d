/**
 * Control characters in names are escaped in all outputs; JSON restores them when parsed.
 */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { expect } from 'vitest';
import { shellWords } from '../../../src/render/visible-text.js';
import { ptflame, test } from '../../helpers/cli/run-cli.js';

const NAME = 'a\x1b[31m\x9b1m\u202egnp\u2067';
// biome-ignore lint/suspicious/noControlCharactersInRegex: the tests search for control characters
const CONTROL = /[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/;
const TRACE = [
  `7 [000] 1.000000001: PERF_RECORD_COMM: ${NAME}:7/7\n`,
  `7 [000] 1.000000002: call 401000 ${NAME}+0x0 => 402000 b${NAME}+0x0\n`,
  `7 [000] 1.000000009: return 402010 b${NAME}+0x10 => 401005 ${NAME}+0x5\n`,
].join('');

test.each([
  ['report', '--csv'],
  ['report', '--json'],
  ['report'],
  ['latency', `b${NAME}`, '--json', '--slowest', '1'],
  ['render', '--format', 'folded', '--by', 'thread'],
  ['render', '--format', 'json'],
])('%s %s', async (command, ...flags) => {
  const dir = command === 'latency' ? [flags[0], '-'] : ['-'];
  const options = command === 'latency' ? flags.slice(1) : flags;
  const { stdout, exitCode } = await ptflame([command, ...dir, ...options], { input: TRACE });
  expect(exitCode).toBe(0);
  expect(stdout).toContain('gnp');
  expect(stdout).not.toMatch(CONTROL);
  if (flags.includes('--json') || flags.includes('json'))
    expect(JSON.stringify(JSON.parse(stdout))).toContain(JSON.stringify(NAME).slice(1, -1));
});

test.each([
  ['record', '-p', '1', '--dry-run', '-o', NAME, '--perf', `./${NAME}`],
  ['record', '--dry-run', '--', NAME],
  ['doctor', '--json', '--perf', `./${NAME}`],
  ['doctor', '--perf', `./${NAME}`],
  ['render', NAME],
  ['render', '-', '-o', `${NAME}.png`],
  ['report', '-', '--root', NAME],
  [NAME],
])('escapes control characters in the arguments of %s', async (...args) => {
  const { stdout, stderr } = await ptflame(args, args.includes('-') ? { input: TRACE } : {});
  expect(stdout + stderr).toContain('gnp');
  expect(stdout + stderr).not.toMatch(CONTROL);
});

test('escapes control characters in file names and titles', async ({ dir }) => {
  const trace = await dir.write(`${NAME}.txt`, TRACE);
  for (const ending of ['svg', 'html', 'json', 'folded']) {
    const path = dir.file(`${NAME}.${ending}`);
    const title = ending === 'svg' || ending === 'html' ? ['--title', NAME] : [];
    const { exitCode, stderr } = await ptflame(['render', trace, '-o', path, ...title]);
    expect(exitCode).toBe(0);
    expect(stderr).not.toMatch(CONTROL);
    expect(await readFile(path, 'utf8')).not.toMatch(CONTROL);
  }
});

test('quotes commands to copy so that a shell restores every word', async () => {
  const words = [`printf '%s\\0'`, NAME, `it's \\ 100 % \x1b`, `-n\x9b`];
  const { stdout } = await execa('sh', ['-c', `printf '%s\\0' ${shellWords(words)}`], { stripFinalNewline: false });
  expect(stdout.split('\0').slice(0, -1)).toEqual(words);
  expect(shellWords(words)).not.toMatch(CONTROL);
});

test('only errors begin with the name of the program; what goes on says note or warning', async () => {
  const files = (await readdir('cli', { recursive: true })).filter((name) => name.endsWith('.ts'));
  for (const name of files)
    expect(await readFile(join('cli', name), 'utf8'), name).not.toMatch(/notify\(\s*['`]ptflame: /);
});

test('writes to standard error only in three files', async () => {
  const files = (await readdir('cli', { recursive: true })).filter((name) => name.endsWith('.ts'));
  const texts = await Promise.all(
    files.map(async (name) => [name, await readFile(join('cli', name), 'utf8')] as const),
  );
  const writers = texts.filter(([, text]) => /stderr\.write\(/.test(text)).map(([name]) => name);
  expect(writers.sort()).toEqual(['process/exit.ts', 'start.ts', 'terminal/notify.ts']);
});

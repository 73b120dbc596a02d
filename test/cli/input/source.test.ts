/**
 * `render --source`: the page has the lines that calls are on, and text of source files, of one directory alone.
 */
import { copyFile, mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import type { PageSource, SourceCodeLine } from '../../../src/page/data/source.js';
import { DWARF_PROGRAM, DWARF_TRACE } from '../../helpers/cli/dwarf-trace.js';
import { type Directory, fixturePath, ptflame, test } from '../../helpers/cli/run-cli.js';
import { rootWith } from '../../helpers/cli/symfs.js';

async function sourceOf(dir: Directory, source: string): Promise<PageSource> {
  const symfs = await rootWith(dir, DWARF_PROGRAM, 'gcc-5');
  const [trace, page] = [await dir.write('trace.txt', DWARF_TRACE), join(dir.path, 'page.html')];
  const run = await ptflame(['render', trace, '-o', page, '--source', source, '--symfs', symfs, '-q']);
  expect(run).toMatchObject({ exitCode: 0, stderr: '' });
  const block = /<script type="application\/json" id="source">([^<]*)<\/script>/.exec(await dir.read('page.html'));
  return JSON.parse(block?.[1] ?? 'null');
}

const outline = ({ line, text, ownNs, calls = [] }: SourceCodeLine) =>
  [line ?? 'end', text, ownNs && `itself ${ownNs}`, ...calls.map(({ fn, calls, ns }) => `${fn[0]} ${calls} ${ns}`)]
    .filter((part) => part !== undefined)
    .join(' | ');

const linesOf = ({ functions }: PageSource, name: string) =>
  functions.find(({ fn }) => fn[0] === name)?.lines.map(outline) ?? [];

describe.concurrent('--source', () => {
  test('shows on which line each call is, and what a function did up to there', async ({ dir }) => {
    const source = await sourceOf(dir, fixturePath('dwarf'));
    expect(linesOf(source, 'hidden')).toEqual([
      '4 | __attribute__((noinline)) static int hidden(int x) {',
      '5 |   int y = twice(x); | itself 1 | twice 1 1',
      '6 |   return y + 1;',
      '7 | }',
      'end | itself 1',
    ]);
    expect(linesOf(source, 'visible')).toContain('12 |   return hidden(x) * 3; | itself 1 | hidden 1 3');
    expect(source.functions[0]).toMatchObject({ fn: ['main', DWARF_PROGRAM], file: '/src/plain.c' });
  });

  test('reads files of that directory alone, and nothing through links out of it', async ({ dir }) => {
    const own = join(dir.path, 'own');
    await mkdir(own);
    await symlink(fixturePath('dwarf/plain.c'), join(own, 'plain.c'));
    expect(linesOf(await sourceOf(dir, own), 'hidden')).toEqual(['5 | itself 1 | twice 1 1', 'end | itself 1']);
  });

  test('keeps what a file contains text', async ({ dir }) => {
    const own = join(dir.path, 'hostile', 'src');
    await mkdir(own, { recursive: true });
    const text = '</script><script>alert(1)</script>\u202e\u001b[2J\n'.repeat(30);
    await writeFile(join(own, 'plain.c'), text);
    const source = await sourceOf(dir, join(dir.path, 'hostile'));
    expect(linesOf(source, 'hidden')[0]).toBe('4 | </script><script>alert(1)</script>\\u202e\\x1b[2J');
    await writeFile(join(own, 'plain.c'), `\0${text}`);
    expect(linesOf(await sourceOf(dir, join(dir.path, 'hostile')), 'hidden')[0]).toBe('5 | itself 1 | twice 1 1');
  });

  test.each([
    [['--inside', 'visible'], '--source shows all calls'],
    [['--blocked-by'], '--source and --blocked-by are different pages'],
  ])('refuses %s', async (args, message) => {
    const run = await ptflame(['render', 'trace.txt', '-o', 'page.html', '--source', '.', ...args]);
    expect(run.exitCode).toBe(2);
    expect(run.stderr).toContain(message);
  });

  test('refuses what is no directory', async ({ dir }) => {
    const file = join(dir.path, 'file');
    await copyFile(fixturePath('dwarf/plain.c'), file);
    const run = await ptflame(['render', await dir.write('trace.txt', DWARF_TRACE), '-o', 'p.html', '--source', file]);
    expect(run.stderr).toContain('is not a directory');
  });
});

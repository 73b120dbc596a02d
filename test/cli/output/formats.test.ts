/**
 * Tests how formats are chosen, and which are printed.
 */
import { readFile } from 'node:fs/promises';
import { describe, expect } from 'vitest';
import { FORMATS, outputFormats } from '../../../cli/output/formats.js';
import { readPprof } from '../../helpers/checks/files/pprof-file.js';
import { PROGRAM, ptflame, SIX_LINES, test } from '../../helpers/cli/run-cli.js';
import { hasTerminal, startOnTerminal } from '../../helpers/cli/terminal.js';

test.for([
  ['out', 'folded'],
  ['out.txt', 'folded'],
  ['OUT.SVG', 'svg'],
  ['a.svg/out.json', 'json'],
  ['cpu.pb.gz', 'pprof'],
  ['cpu.json.pb.gz', 'pprof'],
  ['cpu.pftrace', 'perfetto'],
  ['x.callgrind', 'callgrind'],
  ['a/callgrind.out.1234', 'callgrind'],
  ['callgrind.out.svg', 'svg'],
  ['callgrind.out', 'callgrind'],
  ['cpu.firefox.json', 'firefox'],
  ['.firefox.json', 'firefox'],
  ['firefox.json', 'json'],
  ['CPU.SPEEDSCOPE.JSON', 'speedscope'],
] as const)('%s is written as %s', ([path, format]) => {
  expect(outputFormats({ output: [path] }, FORMATS)).toEqual([format]);
  expect(outputFormats({ output: [path], format: 'html' }, FORMATS)).toEqual(['html']);
});

describe.concurrent('a file for another tool', () => {
  test('is listed with the command that shows it', async ({ dir }) => {
    const run = await ptflame(['render', SIX_LINES, '-o', "it's.pb.gz"], { cwd: dir.path });
    expect(run.exitCode).toBe(0);
    expect(run.stderr).toMatch(/wrote it's\.pb\.gz: \d+ B\nnext: go tool pprof -http=: 'it'\\''s\.pb\.gz'\n$/);
    const { paths } = readPprof(await readFile(dir.file("it's.pb.gz")));
    expect(paths.get('114078\nmem_heap_block_free')?.[1]).toBe(75);
  });

  test('is listed with the page that opens it', async ({ dir }) => {
    const run = await ptflame(['render', SIX_LINES, '-o', 'x y.pftrace'], { cwd: dir.path });
    expect(run.stderr).toMatch(/\nnext: open 'x y\.pftrace' at https:\/\/ui\.perfetto\.dev\n$/);
  });

  test('is written next to others', async ({ dir }) => {
    const outputs = ['-o', 'x.pb.gz', '-o', 'x.html', '-o', 'x.folded', '-q'];
    expect(await ptflame(['render', SIX_LINES, ...outputs], { cwd: dir.path })).toMatchObject({ exitCode: 0 });
    expect(await dir.names()).toEqual(['x.folded', 'x.html', 'x.pb.gz']);
  });
});

test.skipIf(!hasTerminal).for([
  [
    'pictures, unless requested',
    '--format svg',
    /svg is not printed to a terminal.*flame\.svg, or print it with -o -/s,
  ],
  ['bytes', '--format pprof', /pprof is not printed to a terminal.*-o flame\.pb\.gz; see/s],
  ['bytes, even if requested', '--format pprof -o -', /pprof is not printed to a terminal/],
] as const)('a terminal receives no %s', async ([, options, refusal]) => {
  const { stdout, exitCode } = await startOnTerminal(
    `'${process.execPath}' '${PROGRAM}' render '${SIX_LINES}' ${options}`,
  );
  expect(exitCode).toBe(2);
  expect(stdout).toMatch(refusal);
});

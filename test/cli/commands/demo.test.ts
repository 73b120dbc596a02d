/**
 * `ptflame demo`, the first command after installation.
 */
import { describe, expect } from 'vitest';
import { expectRefusal, fixturePath, ptflame, test } from '../../helpers/cli/run-cli.js';

const BUNDLED = fixturePath('demo/threads.perf.txt.gz');

describe.concurrent('demo', () => {
  test('writes flame.html to the current directory and reports it', async ({ dir }) => {
    const { exitCode, stdout, stderr } = await ptflame(['demo'], { cwd: dir.path });
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: '' });
    expect(stderr).toMatch(
      /^[\d,]+ events of 5 threads in .*; nothing lost, .* inferred\nfinding: 96\.4 % of the time is 3 call paths that did nothing but wait, .*\nwrote flame\.html: [\d.]+ kB\nnext: open flame\.html in a browser\n$/,
    );
    expect(await dir.names()).toEqual(['flame.html']);
    expect(await dir.read('flame.html')).toMatch(/^<!doctype html>\n[\s\S]*<\/html>\n$/);
  });

  test('renders the bundled trace like render --annotate', async ({ dir }) => {
    const demo = await ptflame(['demo', '-o', '-', '--quiet'], { cwd: dir.path });
    const render = await ptflame(['render', BUNDLED, '--annotate', '--quiet'], { cwd: dir.path });
    expect(demo).toEqual(render);
    expect(demo.exitCode).toBe(0);
    expect(demo.stdout).not.toBe('');
    expect(await dir.names()).toEqual([]);
  });

  test('writes the same bytes every time', async ({ dir }) => {
    await ptflame(['demo', '-o', 'one', '-o', 'two'], { cwd: dir.path });
    const again = await ptflame(['demo', '-o', '-'], { cwd: dir.path });
    expect(await dir.read('one')).toBe(again.stdout);
    expect(await dir.read('two')).toBe(again.stdout);
  });

  test('reports an output that cannot be written', async ({ dir }) => {
    const run = await ptflame(['demo', '-o', 'missing/out.folded'], { cwd: dir.path });
    expectRefusal(run, 1, /missing\/out\.folded: its directory does not exist/);
  });
});

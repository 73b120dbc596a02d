/**
 * Compiled code is kept next to the program, and never in the way of a run.
 */
import { chownSync, cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import { describe, expect } from 'vitest';
import { type Directory, PROGRAM, SIX_LINES, SIX_LINES_FOLDED, test } from '../../helpers/cli/run-cli.js';

const SUMMARY = 'explain ptflame or one of its commands';

/** Copies the program as it was built: no code is kept yet. */
function install({ path }: Directory): string {
  const isBuilt = (file: string) => !file.includes('.cache');
  cpSync(dirname(PROGRAM), path, { recursive: true, filter: isBuilt });
  return join(path, 'main.js');
}

const keptIn = ({ path }: Directory) => readdirSync(path).filter((name) => name.includes('.cache'));

const run = (program: string, args: readonly string[], env: NodeJS.ProcessEnv = {}) =>
  execa(process.execPath, [program, ...args], { env, reject: false, stripFinalNewline: false });

const programIn = ({ path }: Directory) => readdirSync(path).find((each) => /^program-\w+\.js$/.test(each)) as string;

/** Changes a text of the bundled program, but not the length of the file: V8 does not notice. */
function change(text: string, dir: Directory): void {
  const file = dir.file(programIn(dir));
  writeFileSync(file, readFileSync(file, 'latin1').replace(text, text.toUpperCase()), 'latin1');
}

describe.concurrent('compiled code', () => {
  test('is kept by the first run and used by the next', async ({ dir }) => {
    const program = install(dir);
    expect((await run(program, ['--help'])).stdout).toContain(SUMMARY);
    expect(keptIn(dir)).toEqual([expect.stringMatching(/^program-\w+\.help\.v[\d.]+\.\w+\.cache$/)]);
    change(SUMMARY, dir);
    expect((await run(program, ['--help'])).stdout).toContain(SUMMARY);
    expect((await run(program, ['--help'], { NODE_DISABLE_COMPILE_CACHE: '1' })).stdout).not.toContain(SUMMARY);
  });

  test('is kept by each command for itself', async ({ dir }) => {
    const program = install(dir);
    await run(program, ['--help']);
    expect((await run(program, ['render', SIX_LINES])).stdout).toBe(SIX_LINES_FOLDED);
    expect((await run(program, ['render', SIX_LINES])).stdout).toBe(SIX_LINES_FOLDED);
    expect(keptIn(dir).map((name) => name.split('.')[1])).toEqual(['help', 'render']);
  });

  test('is kept once for all words that are no command', async ({ dir }) => {
    const program = install(dir);
    expect((await run(program, ['rendr'])).stderr).toContain('unknown command rendr');
    expect(keptIn(dir).map((name) => name.split('.')[1])).toEqual(['usage']);
    change('unknown command', dir);
    expect((await run(program, ['nonsense', '--help'])).stderr).toContain('unknown command nonsense');
    expect(await run(program, ['render', '--nosuch'])).toMatchObject({ exitCode: 2 });
    expect(keptIn(dir)).toHaveLength(1);
    await run(program, ['render', SIX_LINES]);
    expect(keptIn(dir).map((name) => name.split('.')[1])).toEqual(['render', 'usage']);
  });

  test('is written anew if V8 refuses it', async ({ dir }) => {
    const program = install(dir);
    await run(program, ['--help']);
    const [name = ''] = keptIn(dir);
    writeFileSync(dir.file(name), 'of another build of Node');
    expect(await run(program, ['--help'])).toMatchObject({ exitCode: 0, stderr: '' });
    expect(readFileSync(dir.file(name)).length).toBeGreaterThan(100_000);
    expect(keptIn(dir)).toEqual([name]);
  });

  test('is not kept by a run that failed, or that counts its code', async ({ dir }) => {
    const program = install(dir);
    expect((await run(program, ['render', dir.file('missing.txt')])).exitCode).toBe(1);
    await run(program, ['--help'], { NODE_OPTIONS: '--stack-size=900' });
    await run(program, ['--help'], { NODE_V8_COVERAGE: dir.file('coverage') });
    expect(keptIn(dir)).toEqual([]);
  });

  test.skipIf(process.geteuid?.() !== 0)('is not written into the folder of another user', async ({ dir }) => {
    const program = install(dir);
    chownSync(dir.path, 65534, 65534);
    expect(await run(program, ['--help'])).toMatchObject({ exitCode: 0, stderr: '' });
    expect(keptIn(dir)).toEqual([]);
  });
});

describe.concurrent('a script for completion', () => {
  test('is printed without the program, and by it if the build has written none', async ({ dir }) => {
    const program = install(dir);
    const [file, script] = [dir.file('completion.zsh'), await run(program, ['completion', 'zsh'])];
    expect(keptIn(dir)).toEqual([]);
    expect(script).toMatchObject({ exitCode: 0, stderr: '', stdout: readFileSync(file, 'utf8') });
    rmSync(file);
    expect(await run(program, ['completion', 'zsh'])).toMatchObject({ exitCode: 0, stdout: script.stdout });
    expect((await run(program, ['completion', 'zsh', 'more'])).exitCode).toBe(2);
  });
});

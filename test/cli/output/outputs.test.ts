/**
 * Where results go: files appear whole or not at all, everything else is written as it comes.
 */
import fs, { closeSync, openSync } from 'node:fs';
import { chmod, chown, lstat, mkdir, open, readFile, stat, symlink } from 'node:fs/promises';
import { execa } from 'execa';
import { describe, expect, vi } from 'vitest';
import { openOutput } from '../../../cli/output/outputs.js';
import {
  expectRefusal,
  fixturePath,
  ptflame,
  SIX_LINES,
  SIX_LINES_FOLDED,
  startPtflame,
  test,
  wideTrace,
} from '../../helpers/cli/run-cli.js';

const WITHOUT_FLAGS = fixturePath('lab/fields-default.txt');

/** Runs the program with its standard output in a file or device, as a shell does for ">" (w) and ">>" (a). */
async function withStdoutIn(path: string, flags: 'w' | 'a', args: readonly string[]) {
  const stdout = openSync(path, flags);
  try {
    return await ptflame(args, { stdout });
  } finally {
    closeSync(stdout);
  }
}

describe.concurrent('files', () => {
  test('-o writes a file, and standard output stays empty', async ({ dir }) => {
    const run = await ptflame(['render', SIX_LINES, '-o', 'out.folded'], { cwd: dir.path });
    expect(run).toMatchObject({ exitCode: 0, stdout: '' });
    expect(await dir.names()).toEqual(['out.folded']);
    expect(await dir.read('out.folded')).toBe(SIX_LINES_FOLDED);
  });

  test('-o may be repeated: an input that can be read only once fills them all', async ({ dir }) => {
    const outputs = ['-o', 'one.folded', '-o', '-', '--output', 'two.txt'];
    const input = await readFile(SIX_LINES);
    const run = await ptflame(['render', '-', ...outputs], { cwd: dir.path, input });
    expect(run).toMatchObject({ exitCode: 0, stdout: SIX_LINES_FOLDED });
    expect(await dir.names()).toEqual(['one.folded', 'two.txt']);
    expect(await dir.read('one.folded')).toBe(SIX_LINES_FOLDED);
    expect(await dir.read('two.txt')).toBe(SIX_LINES_FOLDED);
  });

  test('--format folded fills a file of any name', async ({ dir }) => {
    await ptflame(['render', SIX_LINES, '-o', 'out.svg', '--format', 'folded'], { cwd: dir.path });
    expect(await dir.read('out.svg')).toBe(SIX_LINES_FOLDED);
  });

  test('an existing file is replaced, and what was private stays private', async ({ dir }) => {
    const path = await dir.write('out.folded', 'before, and longer than what comes\n'.repeat(100));
    await chmod(path, 0o600);
    await ptflame(['render', SIX_LINES, '-o', path]);
    expect(await dir.read('out.folded')).toBe(SIX_LINES_FOLDED);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  test('an existing file stays untouched if the input is no good', async ({ dir }) => {
    const path = await dir.write('out.folded', 'before\n');
    expectRefusal(await ptflame(['render', WITHOUT_FLAGS, '-o', path]), 1, /no line says which kind of branch/);
    expect(await dir.names()).toEqual(['out.folded']);
    expect(await dir.read('out.folded')).toBe('before\n');
  });

  test('a read-only file is kept, also by root', async ({ dir }) => {
    const path = await dir.write('out.folded', 'before\n');
    await chmod(path, 0o444);
    expectRefusal(await ptflame(['render', SIX_LINES, '-o', path]), 1, /out\.folded: it is read-only/, /-o/);
    expect(await dir.read('out.folded')).toBe('before\n');
    expect(await dir.names()).toEqual(['out.folded']);
  });

  test.skipIf(process.geteuid?.() !== 0)('a replaced file keeps owner, group and permissions', async ({ dir }) => {
    const path = await dir.write('out.folded', 'before\n');
    await chmod(path, 0o764);
    await chown(path, 1234, 2345);
    expect((await ptflame(['render', SIX_LINES, '-o', path])).exitCode).toBe(0);
    expect(await dir.read('out.folded')).toBe(SIX_LINES_FOLDED);
    const { uid, gid, mode } = await stat(path);
    expect({ uid, gid, mode: mode & 0o777 }).toEqual({ uid: 1234, gid: 2345, mode: 0o764 });
  });

  test.sequential('a file is on the disk before it gets its name, and its name is before the end', async ({ dir }) => {
    const flush = vi.spyOn(fs, 'fsync');
    const directory = await open(dir.path);
    const flushDirectory = vi.spyOn(Object.getPrototypeOf(directory), 'sync');
    const output = await openOutput(dir.file('out'));
    await output.write(['text']);
    expect(flush).toHaveBeenCalledTimes(1);
    expect((await dir.names()).includes('out')).toBe(false);
    await output.publish();
    expect(await dir.names()).toEqual(['out']);
    expect(flushDirectory).toHaveBeenCalledTimes(1);
    await directory.close();
  });

  test('a name may be as long as a file system takes, in letters of three bytes', async ({ dir }) => {
    const name = `${'字'.repeat(80)}.folded`;
    expect((await ptflame(['render', SIX_LINES, '-o', dir.file(name)])).exitCode).toBe(0);
    expect(await dir.names()).toEqual([name]);
  });

  test('a directory that is missing is an error before anything is read', async ({ dir }) => {
    const run = await ptflame(['render', SIX_LINES, '-o', 'good.folded', '-o', 'missing/out'], { cwd: dir.path });
    expectRefusal(run, 1, /cannot write missing\/out: its directory does not exist/, /-o/);
    expect(await dir.names()).toEqual([]);
  });

  test('a directory is no output', async ({ dir }) => {
    await mkdir(dir.file('sub'));
    expectRefusal(await ptflame(['render', SIX_LINES, '-o', dir.file('sub')]), 1, /it is a directory/, /-o/);
    expectRefusal(await ptflame(['render', SIX_LINES, '-o', `${dir.path}/new/`]), 1, /it is a directory/, /-o/);
    expectRefusal(await ptflame(['render', SIX_LINES, '-o', `${SIX_LINES}/out`]), 1, /not a directory/, /-o/);
    expect(await dir.names()).toEqual(['sub']);
  });

  test('if one output fails, the others do not stand either', async ({ dir }) => {
    const path = await dir.write('old.folded', 'before\n');
    const run = await ptflame(['render', SIX_LINES, '-o', 'new.folded', '-o', path, '-o', '/dev/full'], {
      cwd: dir.path,
    });
    expectRefusal(run, 1, /cannot write \/dev\/full: the disk is full/, /-o/);
    expect(await dir.names()).toEqual(['old.folded']);
    expect(await dir.read('old.folded')).toBe('before\n');
  });
});

describe.concurrent('symbolic links', () => {
  test('the link stays, and what it leads to is replaced', async ({ dir }) => {
    await dir.write('target.folded', 'before\n');
    await symlink('target.folded', dir.file('inner'));
    await symlink(dir.file('inner'), dir.file('outer'));
    expect((await ptflame(['render', SIX_LINES, '-o', dir.file('outer')])).exitCode).toBe(0);
    expect(await dir.names()).toEqual(['inner', 'outer', 'target.folded']);
    expect((await lstat(dir.file('outer'))).isSymbolicLink()).toBe(true);
    expect((await lstat(dir.file('inner'))).isSymbolicLink()).toBe(true);
    expect((await lstat(dir.file('target.folded'))).isFile()).toBe(true);
    expect(await dir.read('target.folded')).toBe(SIX_LINES_FOLDED);
  });

  test('what a link leads to need not exist yet', async ({ dir }) => {
    await mkdir(dir.file('sub'));
    await symlink('sub/new.folded', dir.file('link'));
    expect((await ptflame(['render', SIX_LINES, '-o', 'link'], { cwd: dir.path })).exitCode).toBe(0);
    expect((await lstat(dir.file('link'))).isSymbolicLink()).toBe(true);
    expect(await dir.read('sub/new.folded')).toBe(SIX_LINES_FOLDED);
  });

  test('links that lead nowhere or in a circle are errors', async ({ dir }) => {
    await symlink('missing/out', dir.file('nowhere'));
    await symlink('circle', dir.file('circle'));
    const nowhere = await ptflame(['render', SIX_LINES, '-o', dir.file('nowhere')]);
    expectRefusal(nowhere, 1, /nowhere: its directory does not exist/);
    expectRefusal(await ptflame(['render', SIX_LINES, '-o', dir.file('circle')]), 1, /lead in a circle/);
    expect(await dir.names()).toEqual(['circle', 'nowhere']);
  });
});

describe.concurrent('standard output', () => {
  test('it gets the result where no -o says otherwise', async () => {
    expect(await ptflame(['render', SIX_LINES])).toMatchObject({ exitCode: 0, stdout: SIX_LINES_FOLDED });
  });

  test.for(['-', '/dev/stdout'])('it is meant by -o %s', async (output) => {
    const run = await ptflame(['render', SIX_LINES, '-o', output]);
    expect(run).toMatchObject({ exitCode: 0, stdout: SIX_LINES_FOLDED });
  });

  test.for(['-', '/dev/stdout'])('behind ">>" what was there stays, with -o %s', async (output, { dir }) => {
    const path = await dir.write('log', 'before\n');
    expect((await withStdoutIn(path, 'a', ['render', SIX_LINES, '-o', output])).exitCode).toBe(0);
    expect(await dir.read('log')).toBe(`before\n${SIX_LINES_FOLDED}`);
    expect(await dir.names()).toEqual(['log']);
  });

  test('a full disk behind it is an error', async () => {
    const run = await withStdoutIn('/dev/full', 'w', ['render', SIX_LINES]);
    expectRefusal(run, 1, /cannot write standard output: the disk is full/, /-o/);
  });

  test('when its reader goes away, that is the end, quietly', async ({ dir }) => {
    const path = await dir.write('wide.txt', wideTrace());
    const running = startPtflame(['render', path]);
    running.stdout.once('data', () => running.stdout.destroy());
    expect(await running).toMatchObject({ exitCode: 0, stderr: '' });
  });

  test('when its reader goes away, the other outputs are still written', async ({ dir }) => {
    const path = await dir.write('wide.txt', wideTrace());
    const running = startPtflame(['render', path, '-o', '-', '-o', dir.file('out.folded')]);
    running.stdout.once('data', () => running.stdout.destroy());
    expect(await running).toMatchObject({ exitCode: 0, stderr: '' });
    expect(await dir.read('out.folded')).toMatch(/^main \d+\n(?:main;f\d+_x+ \d+\n){5000}$/);
    expect(await dir.names()).toEqual(['out.folded', 'wide.txt']);
  });

  test('a slow reader gets everything', async ({ dir }) => {
    const path = await dir.write('wide.txt', wideTrace());
    const running = startPtflame(['render', path]);
    let length = 0;
    running.stdout.on('data', (piece: Buffer) => {
      length += piece.length;
      running.stdout.pause();
      setImmediate(() => running.stdout.resume());
    });
    const { exitCode, stdout } = await running;
    expect(exitCode).toBe(0);
    expect(length).toBe(String(stdout).length);
    expect(String(stdout).split('\n')).toHaveLength(5002);
  });

  test('when nobody reads the messages, the work is done all the same', async ({ dir }) => {
    const running = startPtflame(['render', SIX_LINES, '-o', dir.file('out.folded')]);
    running.stderr.destroy();
    expect((await running).exitCode).toBe(0);
    expect(await dir.read('out.folded')).toBe(SIX_LINES_FOLDED);
  });
});

describe.concurrent('devices and pipes', () => {
  test('a full device is an error', async () => {
    expectRefusal(await ptflame(['render', SIX_LINES, '-o', '/dev/full']), 1, /\/dev\/full: the disk is full/, /-o/);
  });

  test('/dev/null takes everything and stays a device', async () => {
    expect((await ptflame(['render', SIX_LINES, '-o', '/dev/null'])).exitCode).toBe(0);
    expect((await stat('/dev/null')).isCharacterDevice()).toBe(true);
  });

  test('a named pipe is written to whoever reads it, and stays', async ({ dir }) => {
    await execa('mkfifo', [dir.file('pipe')]);
    const running = startPtflame(['render', SIX_LINES, '-o', dir.file('pipe')]);
    const reader = await execa('cat', [dir.file('pipe')], { timeout: 60_000, stripFinalNewline: false });
    expect((await running).exitCode).toBe(0);
    expect(reader.stdout).toBe(SIX_LINES_FOLDED);
    expect((await stat(dir.file('pipe'))).isFIFO()).toBe(true);
    expect(await dir.names()).toEqual(['pipe']);
  });

  test('a named pipe whose reader goes away is left quietly', async ({ dir }) => {
    await execa('mkfifo', [dir.file('pipe')]);
    const path = await dir.write('wide.txt', wideTrace());
    const running = startPtflame(['render', path, '-o', dir.file('pipe')]);
    await execa('head', ['-n', '1', dir.file('pipe')], { timeout: 60_000 });
    expect(await running).toMatchObject({ exitCode: 0, stderr: '' });
  });
});

test('between two pieces that take long, others have their turn', async ({ dir }) => {
  const output = await openOutput(dir.file('out'));
  let turns = 0;
  const timer = setInterval(() => turns++, 1);
  function* slowPieces() {
    for (let piece = 0; piece < 10; piece++) {
      const until = performance.now() + 25;
      while (performance.now() < until);
      yield 'piece';
    }
  }
  await output.write(slowPieces());
  clearInterval(timer);
  await output.publish();
  expect(turns).toBeGreaterThanOrEqual(9);
  expect(await dir.read('out')).toBe('piece'.repeat(10));
});

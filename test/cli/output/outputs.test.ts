/**
 * Output files appear complete or not at all; pipes and devices are written directly.
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

/** Runs the program with standard output redirected to a file or device, as by ">" (w) or ">>" (a). */
async function withStdoutIn(path: string, flags: 'w' | 'a', args: readonly string[]) {
  const stdout = openSync(path, flags);
  try {
    return await ptflame(args, { stdout });
  } finally {
    closeSync(stdout);
  }
}

describe.concurrent('files', () => {
  test('-o writes a file and leaves standard output empty', async ({ dir }) => {
    const run = await ptflame(['render', SIX_LINES, '-o', 'out.folded'], { cwd: dir.path });
    expect(run).toMatchObject({ exitCode: 0, stdout: '' });
    expect(await dir.names()).toEqual(['out.folded']);
    expect(await dir.read('out.folded')).toBe(SIX_LINES_FOLDED);
  });

  test('-o may be repeated, also for an input that can be read only once', async ({ dir }) => {
    const outputs = ['-o', 'one.folded', '-o', '-', '--output', 'two.txt'];
    const input = await readFile(SIX_LINES);
    const run = await ptflame(['render', '-', ...outputs], { cwd: dir.path, input });
    expect(run).toMatchObject({ exitCode: 0, stdout: SIX_LINES_FOLDED });
    expect(await dir.names()).toEqual(['one.folded', 'two.txt']);
    expect(await dir.read('one.folded')).toBe(SIX_LINES_FOLDED);
    expect(await dir.read('two.txt')).toBe(SIX_LINES_FOLDED);
  });

  test('--format folded writes a file of any name', async ({ dir }) => {
    await ptflame(['render', SIX_LINES, '-o', 'out.svg', '--format', 'folded'], { cwd: dir.path });
    expect(await dir.read('out.svg')).toBe(SIX_LINES_FOLDED);
  });

  test('replaces an existing file and keeps it private', async ({ dir }) => {
    const path = await dir.write('out.folded', 'before, and longer than the result\n'.repeat(100));
    await chmod(path, 0o600);
    await ptflame(['render', SIX_LINES, '-o', path]);
    expect(await dir.read('out.folded')).toBe(SIX_LINES_FOLDED);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  test('leaves an existing file untouched if the input is refused', async ({ dir }) => {
    const path = await dir.write('out.folded', 'before\n');
    expectRefusal(await ptflame(['render', WITHOUT_FLAGS, '-o', path]), 1, /none has flags that give its kind/);
    expect(await dir.names()).toEqual(['out.folded']);
    expect(await dir.read('out.folded')).toBe('before\n');
  });

  test('keeps a read-only file, even as root', async ({ dir }) => {
    const path = await dir.write('out.folded', 'before\n');
    await chmod(path, 0o444);
    expectRefusal(await ptflame(['render', SIX_LINES, '-o', path]), 1, /out\.folded: it is read-only/, /-o/);
    expect(await dir.read('out.folded')).toBe('before\n');
    expect(await dir.names()).toEqual(['out.folded']);
  });

  test.skipIf(process.geteuid?.() !== 0)(
    'preserves owner, group and permissions of a replaced file',
    async ({ dir }) => {
      const path = await dir.write('out.folded', 'before\n');
      await chmod(path, 0o764);
      await chown(path, 1234, 2345);
      expect((await ptflame(['render', SIX_LINES, '-o', path])).exitCode).toBe(0);
      expect(await dir.read('out.folded')).toBe(SIX_LINES_FOLDED);
      const { uid, gid, mode } = await stat(path);
      expect({ uid, gid, mode: mode & 0o777 }).toEqual({ uid: 1234, gid: 2345, mode: 0o764 });
    },
  );

  test.sequential('flushes a file before renaming it, and its directory afterwards', async ({ dir }) => {
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

  test('accepts a name of maximum length, in characters of three bytes', async ({ dir }) => {
    const name = `${'字'.repeat(80)}.folded`;
    expect((await ptflame(['render', SIX_LINES, '-o', dir.file(name)])).exitCode).toBe(0);
    expect(await dir.names()).toEqual([name]);
  });

  test('reports a missing directory before anything is read', async ({ dir }) => {
    const run = await ptflame(['render', SIX_LINES, '-o', 'good.folded', '-o', 'missing/out'], { cwd: dir.path });
    expectRefusal(run, 1, /cannot write missing\/out: its directory does not exist/, /-o/);
    expect(await dir.names()).toEqual([]);
  });

  test('refuses a directory as an output', async ({ dir }) => {
    await mkdir(dir.file('sub'));
    expectRefusal(await ptflame(['render', SIX_LINES, '-o', dir.file('sub')]), 1, /it is a directory/, /-o/);
    expectRefusal(await ptflame(['render', SIX_LINES, '-o', `${dir.path}/new/`]), 1, /it is a directory/, /-o/);
    expectRefusal(await ptflame(['render', SIX_LINES, '-o', `${SIX_LINES}/out`]), 1, /not a directory/, /-o/);
    expect(await dir.names()).toEqual(['sub']);
  });

  test('writes no file if one output fails', async ({ dir }) => {
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
  test('keeps the link and replaces its target', async ({ dir }) => {
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

  test('creates the target of a link', async ({ dir }) => {
    await mkdir(dir.file('sub'));
    await symlink('sub/new.folded', dir.file('link'));
    expect((await ptflame(['render', SIX_LINES, '-o', 'link'], { cwd: dir.path })).exitCode).toBe(0);
    expect((await lstat(dir.file('link'))).isSymbolicLink()).toBe(true);
    expect(await dir.read('sub/new.folded')).toBe(SIX_LINES_FOLDED);
  });

  test('reports links that dangle or form a loop', async ({ dir }) => {
    await symlink('missing/out', dir.file('nowhere'));
    await symlink('circle', dir.file('circle'));
    const nowhere = await ptflame(['render', SIX_LINES, '-o', dir.file('nowhere')]);
    expectRefusal(nowhere, 1, /nowhere: its directory does not exist/);
    expectRefusal(await ptflame(['render', SIX_LINES, '-o', dir.file('circle')]), 1, /form a loop/);
    expect(await dir.names()).toEqual(['circle', 'nowhere']);
  });
});

describe.concurrent('standard output', () => {
  test('receives the result without -o', async () => {
    expect(await ptflame(['render', SIX_LINES])).toMatchObject({ exitCode: 0, stdout: SIX_LINES_FOLDED });
  });

  test.for(['-', '/dev/stdout'])('is selected by -o %s', async (output) => {
    const run = await ptflame(['render', SIX_LINES, '-o', output]);
    expect(run).toMatchObject({ exitCode: 0, stdout: SIX_LINES_FOLDED });
  });

  test.for(['-', '/dev/stdout'])('keeps the file after ">>", with -o %s', async (output, { dir }) => {
    const path = await dir.write('log', 'before\n');
    expect((await withStdoutIn(path, 'a', ['render', SIX_LINES, '-o', output])).exitCode).toBe(0);
    expect(await dir.read('log')).toBe(`before\n${SIX_LINES_FOLDED}`);
    expect(await dir.names()).toEqual(['log']);
  });

  test('reports a full disk', async () => {
    const run = await withStdoutIn('/dev/full', 'w', ['render', SIX_LINES]);
    expectRefusal(run, 1, /cannot write standard output: the disk is full/, /redirect it to another file/);
  });

  test('ends quietly when its reader closes the pipe', async ({ dir }) => {
    const path = await dir.write('wide.txt', wideTrace());
    const running = startPtflame(['render', path]);
    running.stdout.once('data', () => running.stdout.destroy());
    expect(await running).toMatchObject({ exitCode: 0, stderr: '' });
  });

  test('writes the other outputs when its reader closes the pipe', async ({ dir }) => {
    const path = await dir.write('wide.txt', wideTrace());
    const running = startPtflame(['render', path, '-o', '-', '-o', dir.file('out.folded')]);
    running.stdout.once('data', () => running.stdout.destroy());
    expect(await running).toMatchObject({ exitCode: 0, stderr: '' });
    expect(await dir.read('out.folded')).toMatch(/^main \d+\n(?:main;f\d+_x+ \d+\n){5000}$/);
    expect(await dir.names()).toEqual(['out.folded', 'wide.txt']);
  });

  test('waits for a slow reader', async ({ dir }) => {
    const path = await dir.write('wide.txt', wideTrace());
    const running = startPtflame(['render', path]);
    let length = 0;
    running.stdout.on('data', (chunk: Buffer) => {
      length += chunk.length;
      running.stdout.pause();
      setImmediate(() => running.stdout.resume());
    });
    const { exitCode, stdout } = await running;
    expect(exitCode).toBe(0);
    expect(length).toBe(String(stdout).length);
    expect(String(stdout).split('\n')).toHaveLength(5002);
  });

  test('finishes the work when standard error is closed', async ({ dir }) => {
    const running = startPtflame(['render', SIX_LINES, '-o', dir.file('out.folded')]);
    running.stderr.destroy();
    expect((await running).exitCode).toBe(0);
    expect(await dir.read('out.folded')).toBe(SIX_LINES_FOLDED);
  });
});

describe.concurrent('devices and pipes', () => {
  test('reports a full device', async () => {
    expectRefusal(await ptflame(['render', SIX_LINES, '-o', '/dev/full']), 1, /\/dev\/full: the disk is full/, /-o/);
  });

  test('writes to /dev/null, which stays a device', async () => {
    expect((await ptflame(['render', SIX_LINES, '-o', '/dev/null'])).exitCode).toBe(0);
    expect((await stat('/dev/null')).isCharacterDevice()).toBe(true);
  });

  test('writes to the reader of a named pipe, which stays', async ({ dir }) => {
    await execa('mkfifo', [dir.file('pipe')]);
    const running = startPtflame(['render', SIX_LINES, '-o', dir.file('pipe')]);
    const reader = await execa('cat', [dir.file('pipe')], { timeout: 60_000, stripFinalNewline: false });
    expect((await running).exitCode).toBe(0);
    expect(reader.stdout).toBe(SIX_LINES_FOLDED);
    expect((await stat(dir.file('pipe'))).isFIFO()).toBe(true);
    expect(await dir.names()).toEqual(['pipe']);
  });

  test('ends quietly when the reader of a named pipe closes it', async ({ dir }) => {
    await execa('mkfifo', [dir.file('pipe')]);
    const path = await dir.write('wide.txt', wideTrace());
    const running = startPtflame(['render', path, '-o', dir.file('pipe')]);
    await execa('head', ['-n', '1', dir.file('pipe')], { timeout: 60_000 });
    expect(await running).toMatchObject({ exitCode: 0, stderr: '' });
  });
});

test('runs other events between two slow chunks', async ({ dir }) => {
  const output = await openOutput(dir.file('out'));
  let turns = 0;
  const timer = setInterval(() => turns++, 1);
  function* slowChunks() {
    for (let chunk = 0; chunk < 10; chunk++) {
      const until = performance.now() + 25;
      while (performance.now() < until);
      yield 'chunk';
    }
  }
  await output.write(slowChunks());
  clearInterval(timer);
  await output.publish();
  expect(turns).toBeGreaterThanOrEqual(9);
  expect(await dir.read('out')).toBe('chunk'.repeat(10));
});

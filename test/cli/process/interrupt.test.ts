/**
 * Ctrl-C and kill stop the program at once, whatever it waits for, and leave no files.
 */
import { readFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { execa } from 'execa';
import { describe, expect, vi } from 'vitest';
import {
  type Directory,
  PROGRAM,
  SIX_LINES,
  SIX_LINES_FOLDED,
  startPtflame,
  test,
  wideTrace,
} from '../../helpers/cli/run-cli.js';

/** Waits for the temporary file: once it exists, the program handles signals. */
async function temporaryFileIn(dir: Directory): Promise<string> {
  const find = async () => {
    const name = (await dir.names()).find((name) => /\.ptflame-/.test(name));
    expect(name).toBeDefined();
    return name as string;
  };
  return vi.waitFor(find, { timeout: 60_000, interval: 10 });
}

describe.concurrent('an input that never ends', () => {
  test.for(['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const)(
    'is abandoned at %s while it sends nothing',
    async (signal, { dir }) => {
      const running = startPtflame(['render', '-', '-o', dir.file('out.folded')], { input: null });
      running.stdin?.write(await readFile(SIX_LINES));
      await temporaryFileIn(dir);
      running.kill(signal);
      expect(await running).toMatchObject({ exitCode: 130, stdout: '', stderr: '' });
      expect(await dir.names()).toEqual([]);
    },
  );

  test.for(['SIGINT', 'SIGTERM'] as const)('is abandoned at %s while it keeps sending', async (signal, { dir }) => {
    const lines = await readFile(SIX_LINES);
    const endless = Readable.from(
      (function* () {
        for (;;) yield lines;
      })(),
    );
    const running = startPtflame(['render', '-', '-o', dir.file('out.folded')], { input: null });
    endless.pipe(running.stdin as NodeJS.WritableStream).on('error', () => endless.destroy());
    await temporaryFileIn(dir);
    running.kill(signal);
    expect(await running).toMatchObject({ exitCode: 130, stdout: '', stderr: '' });
    endless.destroy();
    expect(await dir.names()).toEqual([]);
  });

  test('leaves an existing output untouched', async ({ dir }) => {
    await dir.write('out.folded', 'before\n');
    const running = startPtflame(['render', '-', '-o', dir.file('out.folded')], { input: null });
    await temporaryFileIn(dir);
    running.kill('SIGINT');
    expect((await running).exitCode).toBe(130);
    expect(await dir.names()).toEqual(['out.folded']);
    expect(await dir.read('out.folded')).toBe('before\n');
  });

  test.for(['SIGINT', 'SIGTERM'] as const)(
    'is abandoned at %s if it is a named pipe without a writer',
    async (signal, { dir }) => {
      await execa('mkfifo', [dir.file('pipe')]);
      const running = startPtflame(['render', dir.file('pipe'), '-o', dir.file('out.folded')]);
      await temporaryFileIn(dir);
      running.kill(signal);
      expect(await running).toMatchObject({ exitCode: 130, stdout: '', stderr: '' });
      expect(await dir.names()).toEqual(['pipe']);
    },
  );
});

describe.concurrent('the progress line', () => {
  test.for(['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const)('is cleared after %s', async (signal, { dir }) => {
    await execa('mkfifo', [dir.file('pipe')]);
    const command = `echo $$ > pid; exec '${process.execPath}' '${PROGRAM}' render '${SIX_LINES}' pipe -o x`;
    const env = { TERM: 'xterm' };
    const running = execa('script', ['-qec', command, '/dev/null'], {
      cwd: dir.path,
      env,
      stdin: 'ignore',
      reject: false,
    });
    let screen = '';
    running.stdout.on('data', (bytes) => (screen += bytes));
    await vi.waitFor(() => expect(screen).toContain('reading'), { timeout: 60_000, interval: 20 });
    process.kill(Number(await dir.read('pid')), signal);
    await running;
    expect(screen.lastIndexOf('\x1b[2K')).toBeGreaterThan(screen.lastIndexOf('reading')); // its line is cleared
    expect(screen).not.toContain('\x1b[?25l'); // and the cursor was never hidden
  });
});

describe.concurrent('a blocked output', () => {
  test('is abandoned at Ctrl-C while a named pipe has no reader', async ({ dir }) => {
    await execa('mkfifo', [dir.file('pipe')]);
    const running = startPtflame(['render', SIX_LINES, '-o', dir.file('out.folded'), '-o', dir.file('pipe')]);
    const name = await temporaryFileIn(dir);
    const isWritten = async () => expect((await dir.read(name)).length).toBe(SIX_LINES_FOLDED.length);
    await vi.waitFor(isWritten, { timeout: 60_000, interval: 10 });
    await delay(500); // now it waits for the pipe
    running.kill('SIGINT');
    expect(await running).toMatchObject({ exitCode: 130, stdout: '' });
    expect(await dir.names()).toEqual(['pipe']);
  });

  test('is abandoned at Ctrl-C while the reader of standard output sleeps', async ({ dir }) => {
    const path = await dir.write('wide.txt', wideTrace());
    const running = startPtflame(['render', path, '-o', dir.file('out.folded'), '-o', '-']);
    await new Promise((begun) => running.stdout.once('data', begun));
    running.stdout.pause();
    running.kill('SIGINT');
    running.once('exit', () => running.stdout.resume());
    expect((await running).exitCode).toBe(130);
    expect(await dir.names()).toEqual(['wide.txt']);
  });
});

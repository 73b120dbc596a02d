/**
 * `ptflame export` that is killed, or runs out of space, in the middle of writing: nothing of it counts, and running it
 * again makes the recording whole.
 */
import { existsSync, readdirSync, statSync } from 'node:fs';
import { mkdir, readFile, rm, symlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { execa } from 'execa';
import { expect, vi } from 'vitest';
import { contents, exported, sha256 } from '../../helpers/cli/export-folder.js';
import {
  type Directory,
  expectRefusal,
  fixturePath,
  PROGRAM,
  ptflame,
  startPtflame,
  test,
} from '../../helpers/cli/run-cli.js';

const DEMO = fixturePath('demo/threads.perf.txt.gz');
const OTHER = fixturePath('lab/thread-create-switch-migrate.txt');
const FLAGS = ['--build', 'v1', '--host', 'web1', '--calls'];
/** In the order in which they are written. */
const TABLES = ['calls', 'paths', 'functions', 'durations', 'recordings'];
const UNFINISHED = 'it is unfinished: its export was killed, or still runs';

/** Returns the files of `DEMO`, by table, with their sizes once they are whole. The folder has another recording, too. */
async function wholeFiles(dir: Directory): Promise<Map<string, { readonly path: string; readonly size: number }>> {
  await exported(dir, [OTHER, DEMO], ...FLAGS);
  const id = sha256(await readFile(DEMO));
  const paths = TABLES.map((table) => [table, dir.file(`fleet/${table}/build=v1/host=web1/${id}.parquet`)] as const);
  return new Map(paths.map(([table, path]) => [table, { path, size: statSync(path).size }]));
}

/** Returns the file that will get the name `path`; null: there is none. */
function temporaryOf(path: string): string | null {
  const name = readdirSync(dirname(path)).find((own) => own.startsWith(`.${basename(path).slice(0, 40)}.ptflame-`));
  return name === undefined ? null : join(dirname(path), name);
}

async function counted(dir: Directory): Promise<{ recordings: number; leftOut: unknown }> {
  const { stdout } = await ptflame(['fleet', dir.file('fleet'), '--json']);
  const { fleet, leftOut } = JSON.parse(stdout);
  return { recordings: fleet.recordings, leftOut };
}

test.for(['calls', 'functions', 'recordings'])(
  'killed while it writes %s: nothing counts, what is left is named, and the next export is whole',
  async (held, { dir }) => {
    const files = await wholeFiles(dir);
    const whole = await contents(dir);
    for (const { path } of files.values()) await rm(path);
    const pipe = files.get(held)?.path as string;
    await execa('mkfifo', [pipe]); // without a reader: the export waits for one for ever
    const temp = dir.file('temp');
    await mkdir(temp);
    const to = ['--to', `parquet:${dir.file('fleet')}`, '--temp-dir', temp];
    const running = startPtflame(['export', DEMO, ...to, ...FLAGS]);
    const others = [...files].filter(([table]) => table !== held);
    const isWritten = ([table, { path, size }]: (typeof others)[number]) => {
      const temporary = temporaryOf(path);
      if (temporary === null) return false;
      return TABLES.indexOf(table) > TABLES.indexOf(held) || statSync(temporary).size === size;
    };
    await vi.waitUntil(() => others.every(isWritten), { timeout: 60_000, interval: 20 });
    running.kill('SIGKILL');
    expect(await running).toMatchObject({ signal: 'SIGKILL' });
    await rm(pipe);

    expect(others.filter(([, { path }]) => existsSync(path))).toEqual([]);
    expect(readdirSync(temp)).toEqual([]);
    const left = others.map(([, { path }]) => temporaryOf(path) as string);
    const leftOut = left
      .filter((path) => !path.includes('/calls/')) // no question reads them
      .map((path) => ({ file: path.slice(dir.file('fleet').length + 1), reason: UNFINISHED }))
      .toSorted((a, b) => (a.file < b.file ? -1 : 1));
    expect(await counted(dir)).toEqual({ recordings: 1, leftOut });
    expect(await exported(dir, [DEMO], ...FLAGS)).toContain('5 tables');
    const now = await contents(dir);
    for (const path of left) expect(now.delete(path)).toBe(true);
    expect(now).toEqual(whole);
    expect(await counted(dir)).toEqual({ recordings: 2, leftOut });
  },
);

test.for(['calls', 'durations', 'recordings'])(
  'no space for %s: that is said, and nothing is left',
  async (full, { dir }) => {
    const files = await wholeFiles(dir);
    const whole = await contents(dir);
    for (const { path } of files.values()) await rm(path);
    const before = await contents(dir);
    const path = files.get(full)?.path as string;
    await symlink('/dev/full', path);
    const run = await ptflame(['export', DEMO, '--to', `parquet:${dir.file('fleet')}`, ...FLAGS]);
    expectRefusal(run, 1, new RegExp(`cannot write .*/${full}/.*: the disk is full`), /another folder with --to/);
    await rm(path);
    expect(await contents(dir)).toEqual(before);
    expect(await counted(dir)).toEqual({ recordings: 1, leftOut: [] });
    await exported(dir, [DEMO], ...FLAGS);
    expect(await contents(dir)).toEqual(whole);
  },
);

test('no space for temporary files: that is said, and nothing is left', async ({ dir }) => {
  const to = ['--to', `parquet:${dir.file('fleet')}`, '--temp-dir', dir.path];
  const limited = [
    '-c',
    'ulimit -f 8; exec "$@"',
    'limited',
    process.execPath,
    PROGRAM,
    'export',
    DEMO,
    ...to,
    ...FLAGS,
  ];
  const { exitCode, stdout, stderr } = await execa('bash', limited, { reject: false, stripFinalNewline: false });
  expectRefusal({ exitCode, stdout, stderr }, 1, /cannot write to .*: .*ulimit -f/, /--temp-dir DIR/);
  expect(await dir.names()).toEqual([]);
});

/**
 * The recipes that export many recordings at once: with Slurm and with GNU parallel, each on this machine.
 */
import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { chmod, mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { describe, expect } from 'vitest';
import { type Directory, PROGRAM, test } from '../helpers/cli/run-cli.js';
import { ask } from '../helpers/consumers/duckdb.js';
import { needs } from '../tools/needs.js';
import { type Cluster, startCluster } from './slurm-cluster.js';

const recipe = (name: string) => fileURLToPath(new URL(`../../recipes/${name}`, import.meta.url));

const RECORDINGS = 11;
/** The names of the first two are hostile, and the last one is a copy of the third. */
const nameOf = (row: number) => [`a b'c.txt`, '$(touch x) {} "%s.txt'][row] ?? `${row}.txt`;
const callNs = (row: number) => 10 + (row === RECORDINGS - 1 ? 2 : row);
/** Of `read_row`, in all different recordings. */
const TOTAL_NS = Array.from({ length: RECORDINGS - 1 }, (_, row) => callNs(row)).reduce((sum, ns) => sum + ns);

const textOf = (row: number) => `\
server 100/101 [000] 1.000000100: call   401010 work+0x10 => 402000 read_row+0x0
server 100/101 [000] 1.000000${100 + callNs(row)}: return 402010 read_row+0x10 => 401015 work+0x15
`;

/** Returns the file that lists the recordings. */
async function writeRecordings(dir: Directory): Promise<string> {
  await mkdir(dir.file('in'));
  const paths = await Promise.all(
    Array.from({ length: RECORDINGS }, (_, row) => dir.write(`in/${nameOf(row)}`, textOf(row))),
  );
  return dir.write('list.txt', `${paths.join('\n')}\n\n`);
}

/** All files of the folder, and when they were written. */
async function filesOf(folder: string): Promise<string[]> {
  const files = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = files.filter((file) => file.isFile()).map((file) => join(file.parentPath, file.name));
  return paths.map((path) => `${path} ${statSync(path).mtimeMs}`).sort();
}

/** What counts is in `recordings`. */
async function sums(folder: string) {
  const from = (table: string) => `read_parquet('${folder}/${table}/**/*.parquet', hive_partitioning = false)`;
  const [row] = await ask(`SELECT count(DISTINCT id)::INT AS recordings, sum(self_ns)::BIGINT AS ns
    FROM ${from('functions')} WHERE name = 'read_row' AND id IN (SELECT id FROM ${from('recordings')})`);
  return row;
}

async function expectReduced(folder: string): Promise<void> {
  expect(await sums(folder)).toEqual({ recordings: RECORDINGS - 1, ns: TOTAL_NS });
  expect(readFileSync(`${folder}.txt`, 'utf8')).toContain('read_row');
  expect(readFileSync(`${folder}.html`, 'utf8')).toContain('<html');
}

describe.concurrent('GNU parallel', () => {
  needs('parallel');

  test('exports each recording once, and nothing when it runs again', async ({ dir }) => {
    const [list, folder] = [await writeRecordings(dir), dir.file('a fleet')];
    const run = () =>
      execa(recipe('parallel.sh'), [list, folder, '--build', 'v 1'], { env: { PTFLAME: PROGRAM, TASKS: '2' } });
    expect((await run()).stderr.match(/^exported /gm)).toHaveLength(RECORDINGS - 1);
    await expectReduced(folder);
    const files = await filesOf(folder);
    expect((await run()).stderr.match(/^kept /gm)).toHaveLength(RECORDINGS);
    expect(await filesOf(folder)).toEqual(files);
  });
});

describe.concurrent('Slurm', () => {
  needs('slurm');

  /** ptflame, but the task that exports a recording is killed in the first run, before the row that makes it count. */
  async function killedOnce(dir: Directory, folder: string): Promise<string> {
    const id = createHash('sha256').update(textOf(4)).digest('hex');
    const path = await dir.write(
      'ptflame',
      `#!/bin/sh
'${PROGRAM}' "$@" || exit
case "$*" in *'/4.txt '*) [ -e '${dir.file('was-killed')}' ] || {
  touch '${dir.file('was-killed')}'
  rm '${folder}'/recordings/build=v1/host=__HIVE_DEFAULT_PARTITION__/${id}.parquet
  kill -KILL $PPID
} ;; esac
`,
    );
    await chmod(path, 0o755);
    return path;
  }

  /** Submits the recipe, and waits until its last job has ended. Returns the state of that. */
  async function runJobs(cluster: Cluster, dir: Directory, folder: string, PTFLAME: string): Promise<string> {
    const env = { ...cluster.env, PTFLAME, SBATCH: `--output=${dir.file('%a.log')} --job-name=export` };
    const args = [dir.file('list.txt'), folder, '--build', 'v1'];
    const { stdout } = await execa(recipe('slurm/submit.sh'), args, { env, cwd: dir.path });
    const last = stdout.split(' ')[1] as string;
    for (;;) {
      const { stdout: job } = await execa('scontrol', ['-o', 'show', 'job', last], { env });
      const state = /JobState=(\w+)/.exec(job)?.[1] ?? '';
      if (!['PENDING', 'RUNNING', 'COMPLETING'].includes(state)) return state;
      await setTimeout(100);
    }
  }

  const logs = (dir: Directory) =>
    Array.from({ length: RECORDINGS }, (_, task) => readFileSync(dir.file(`${task + 1}.log`), 'utf8')).join('');

  test('exports each recording once; a killed task counts for nothing until it has run again', async ({
    dir,
    skip,
  }) => {
    await writeRecordings(dir);
    await mkdir(dir.file('slurm'));
    const cluster = await startCluster(dir.file('slurm'), 4);
    if (typeof cluster === 'string') return skip(cluster);
    try {
      const folder = dir.file('fleet');
      const ptflame = await killedOnce(dir, folder);
      expect(await runJobs(cluster, dir, folder, ptflame)).toBe('CANCELLED');
      expect(await sums(folder)).toEqual({ recordings: RECORDINGS - 2, ns: TOTAL_NS - callNs(4) });
      expect(await runJobs(cluster, dir, folder, ptflame)).toBe('COMPLETED');
      await expectReduced(folder);
      expect(logs(dir).match(/^exported /gm)).toHaveLength(1);
      const files = await filesOf(folder);
      expect(await runJobs(cluster, dir, folder, ptflame)).toBe('COMPLETED');
      expect(logs(dir).match(/^kept /gm)).toHaveLength(RECORDINGS);
      expect(await filesOf(folder)).toEqual(files);
    } finally {
      await cluster.stop();
    }
  });
});

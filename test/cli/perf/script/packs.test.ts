/**
 * Packs are decoded on machines without the recorded binaries.
 */
import { copyFile, mkdir, open, readdir, readFile, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { describe, expect } from 'vitest';
import { type Directory, ptflame, test } from '../../../helpers/cli/run-cli.js';
import { fakePerf } from '../../../helpers/perf/decoding.js';
import { elfFile } from '../../../helpers/perf/elf.js';
import { RECORDED_ROOT, recordingPath } from '../../../helpers/perf/perf.js';
import { perfData, record, text, trailer, u32, u64 } from '../../../helpers/perf/perf-data.js';
import { isMissing } from '../../../tools/needs.js';

describe('a pack', () => {
  async function packed(dir: Directory, name: string): Promise<string> {
    const path = dir.file(`${name}.pack`);
    const { exitCode } = await ptflame(['pack', recordingPath(name), '--symfs', RECORDED_ROOT, '-o', path]);
    expect(exitCode).toBe(0);
    return path;
  }

  test.skipIf(isMissing('perf'))('renders to the same bytes where the program is not installed', async ({ dir }) => {
    const [from, pack] = [recordingPath('cpus-2'), await packed(dir, 'cpus-2')];
    const direct = await ptflame(['render', from, '--symfs', RECORDED_ROOT, '--annotate', '--quiet']);
    const { exitCode, stdout, stderr } = await ptflame([
      'render',
      pack,
      '--annotate',
      '--quiet',
      '--temp-dir',
      dir.path,
    ]);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(stdout).toBe(direct.stdout);
    expect(stdout).toContain('critical');
  });

  test('is described by info', async ({ dir }) => {
    const { exitCode, stdout } = await ptflame(['info', await packed(dir, 'noise')]);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^file +.*noise\.pack/);
    expect(stdout).toContain('5 of 1 process');
  });

  test('is reproducible, and leaves no temporary files', async ({ dir }) => {
    const first = await readFile(await packed(dir, 'loop-1'));
    expect(Buffer.compare(first, await readFile(await packed(dir, 'loop-1')))).toBe(0);
    const folder = dir.file('folder');
    await mkdir(folder);
    await ptflame(['render', dir.file('loop-1.pack'), '--temp-dir', folder, '-o', '/dev/null']);
    expect(await readdir(folder)).toEqual([]);
  });

  test("contains the vdso where perf looks for it, from the user's cache or from --symfs", async ({ dir }) => {
    const [path, pack] = [dir.file('vdso.data'), dir.file('vdso.pack')];
    const buildId = Buffer.concat([u32(-1), Buffer.alloc(20, 0xab), u32(0), text('[vdso]')]);
    const mapping = record(1, 0, u32(7), u32(7), u64(0x7000), u64(0x1000), u64(0), text('[vdso]'), trailer());
    await writeFile(path, perfData({ records: [mapping], features: { 2: record(67, 2, buildId) } }));
    const cacheEntry = `.debug/.build-id/ab/${'ab'.repeat(19)}`;
    const home = dir.file('home');
    await mkdir(join(home, cacheEntry), { recursive: true });
    await writeFile(join(home, cacheEntry, 'vdso'), elfFile({ buildId: 'ab'.repeat(20) }));
    for (const [args, env] of [
      [[], { HOME: home }],
      [['--symfs', home], {}],
    ] as const) {
      const { stderr } = await ptflame(['pack', path, '-o', pack, ...args], { env });
      expect(stderr).not.toContain('missing');
      const { stdout } = await execa('tar', ['-tzf', pack]);
      expect(stdout.split('\n')).toEqual(['ptflame-pack.json', 'recording', `root/${cacheEntry}/vdso`]);
    }
    const { stderr } = await ptflame(['pack', path, '-o', pack], { env: { HOME: join(home, 'other') } });
    expect(stderr).toContain('missing: [vdso]: its code cannot be decoded');
  });

  test.skipIf(isMissing('perf'))('is named in messages about its content', async ({ dir }) => {
    const pack = await packed(dir, 'cpus-1');
    const perf = await fakePerf(dir, 'garbage', 'perf "$@"; echo what is this');
    const render = () =>
      ptflame([
        'render',
        pack,
        '--decoder',
        'perf',
        '--perf',
        perf,
        '--temp-dir',
        dir.path,
        '-o',
        '-',
        '--format',
        'json',
      ]);
    const first = await render();
    expect(first.stdout).toContain('what is this');
    expect(first.stdout).not.toContain(dir.file('ptflame-'));
    expect((await render()).stdout).toBe(first.stdout);
  });

  test('does not overwrite its recording', async ({ dir }) => {
    const path = dir.file('itself.data');
    await copyFile(recordingPath('cpus-1'), path);
    const { exitCode, stderr } = await ptflame(['pack', path, '--symfs', RECORDED_ROOT, '-o', path]);
    expect({ exitCode, stderr }).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('is the input itself'),
    });
    expect(Buffer.compare(await readFile(path), await readFile(recordingPath('cpus-1')))).toBe(0);
  });

  test('is rejected if it cannot be unpacked', async ({ dir }) => {
    const { exitCode, stderr } = await ptflame(['render', await packed(dir, 'cpus-1'), '--temp-dir', dir.file('none')]);
    expect({ exitCode, stderr }).toMatchObject({
      exitCode: 1,
      stderr: expect.stringMatching(/^ptflame: .*\n.*--temp-dir/),
    });
  });

  test('reports missing binaries', async ({ dir }) => {
    const path = dir.file('lacking.pack');
    const { stderr } = await ptflame(['pack', recordingPath('cpus-1'), '--symfs', dir.path, '-o', path]);
    expect(stderr).toContain('missing: 2 files: /opt/ptflame/threads, [vdso]: their code cannot be decoded\n');
    expect(stderr).toMatch(/warning: the pack has no binaries: .* pass another --symfs DIR/);
    expect(stderr).toMatch(/\nnext: ptflame render \S+lacking\.pack -o flame\.html, on any machine\n$/);
    const given = await ptflame(['pack', recordingPath('waits'), '--symfs', RECORDED_ROOT, '-o', path]);
    expect(given.stderr).toContain('warning: the pack lacks 1 of 3 binaries: ');
  });

  test.for([5000, 100_000])('is rejected if truncated at byte %d', async (length, { dir }) => {
    const path = dir.file(`cut-${length}.pack`);
    await copyFile(await packed(dir, 'cpus-1'), path);
    await truncate(path, length);
    const { exitCode, stderr } = await ptflame(['render', path]);
    expect({ exitCode, stderr }).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('cannot unpack') });
  });

  test('is rejected if bytes changed', async ({ dir }) => {
    const path = dir.file('changed.pack');
    await copyFile(await packed(dir, 'cpus-1'), path);
    const file = await open(path, 'r+');
    await file.write(Buffer.from([0xff, 0xff, 0xff]), 0, 3, 150_000);
    await file.close();
    const { exitCode, stderr } = await ptflame(['render', path]);
    expect({ exitCode, stderr }).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('cannot unpack') });
  });
});

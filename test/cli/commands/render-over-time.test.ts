/**
 * `ptflame render` in formats that show single calls over time: which calls they have, and what is refused.
 */
import { readFile } from 'node:fs/promises';
import { describe, expect } from 'vitest';
import type { FirefoxFile } from '../../helpers/checks/files/firefox-file.js';
import { readPerfetto } from '../../helpers/checks/files/perfetto-file.js';
import type { SpeedscopeFile } from '../../helpers/checks/files/speedscope-file.js';
import { expectRefusal, fixturePath, ptflame, test } from '../../helpers/cli/run-cli.js';

const TIMELESS = fixturePath('lab/fields-timeless-no-time.txt');
const BUNDLED = fixturePath('demo/threads.perf.txt.gz');

const slicesIn = async (path: string) => readPerfetto(await readFile(path)).slices;

describe.concurrent('calls over time', () => {
  test('are all in the file, and nothing is said of others', async ({ dir }) => {
    const { stderr } = await ptflame(['render', BUNDLED, '-o', 'x.pftrace'], { cwd: dir.path });
    expect(stderr).not.toMatch(/shorter than/);
    expect(await slicesIn(`${dir.path}/x.pftrace`)).toHaveLength(873);
  });

  test('are those of a duration', async ({ dir }) => {
    const args = ['render', BUNDLED, '-o', 'x.pftrace', '--min-call', '1us'];
    const { stderr } = await ptflame(args, { cwd: dir.path });
    expect(stderr).toMatch(/^648 calls shorter than 1 µs are not in x\.pftrace$/m);
    const slices = await slicesIn(`${dir.path}/x.pftrace`);
    expect(slices).toHaveLength(873 - 648);
    expect(Math.min(...slices.map(({ durationNs }) => durationNs))).toBeGreaterThanOrEqual(1000);
  });

  test('are the longest, also beside a page', async ({ dir }) => {
    const args = ['render', BUNDLED, '-o', 'x.pftrace', '-o', 'x.html', '--max-calls', '10'];
    const { stderr } = await ptflame(args, { cwd: dir.path });
    expect(stderr).toMatch(/^863 calls shorter than .*s are not in x\.pftrace: --max-calls N or --window shows more$/m);
    expect(await slicesIn(`${dir.path}/x.pftrace`)).toHaveLength(10);
  });

  test('are in files for all tools', async ({ dir }) => {
    const outputs = ['-o', 'x.firefox.json', '-o', 'x.speedscope.json', '-o', 'x.json'];
    const args = ['render', BUNDLED, ...outputs, '--max-calls', '10'];
    const { stderr } = await ptflame(args, { cwd: dir.path });
    expect(stderr).toMatch(/^863 calls shorter than .* are not in x\.firefox\.json, x\.speedscope\.json: /m);
    const read = async (name: string) => JSON.parse(await readFile(dir.file(name), 'utf8'));
    const { threads } = (await read('x.firefox.json')) as FirefoxFile;
    expect(threads.map(({ samples }) => samples.length)).toEqual([3, 5, 2, 3, 5]);
    const { profiles } = (await read('x.speedscope.json')) as SpeedscopeFile;
    expect(profiles.flatMap(({ events }) => events)).toHaveLength(20);
    expect(await read('x.json')).toMatchObject({ format: 'ptflame-profile' });
  });

  test('are not in a profile', async ({ dir }) => {
    await ptflame(['render', BUNDLED, '-o', 'x.json'], { cwd: dir.path });
    expectRefusal(
      await ptflame(['render', 'x.json', '-o', 'x.pftrace'], { cwd: dir.path }),
      1,
      /x\.json is a profile, which has only sums, not the individual calls/,
    );
  });

  test('are not in a trace without times', async () => {
    const args = ['render', TIMELESS, '--by-calls', '--format', 'perfetto'];
    expectRefusal(await ptflame(args), 1, /the trace has no times, so calls cannot be shown over time/);
  });

  test('are not blocked time, nor parts of threads', async () => {
    const args = ['render', BUNDLED, '--format', 'perfetto'];
    expectRefusal(
      await ptflame([...args, '--blocked-by']),
      2,
      /--blocked-by sums up waits, but perfetto shows single calls/,
    );
    expectRefusal(await ptflame([...args, '--inside', 'main']), 2, /calls over time are shown of whole threads/);
  });

  test('are only chosen for formats that have them', async () => {
    const args = ['render', BUNDLED, '--max-calls', '3', '--format', 'svg'];
    expectRefusal(await ptflame(args), 2, /--max-calls has no effect on svg output/);
  });
});

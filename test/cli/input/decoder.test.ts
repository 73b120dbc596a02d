/**
 * Chooses the decoder of a recording, and says why if it is perf.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { delimiter } from 'node:path';
import { describe, expect } from 'vitest';
import { type Directory, expectRefusal, ptflame, test } from '../../helpers/cli/run-cli.js';
import { fakePerf } from '../../helpers/perf/decoding.js';
import { elfFile } from '../../helpers/perf/elf.js';
import { RECORDED_ROOT, recordingPath } from '../../helpers/perf/perf.js';
import { PT_TYPE } from '../../helpers/perf/perf-data.js';
import { putTogether, type RawRecording, takeApart, withConfig, withSettings } from '../../helpers/perf/rewrite.js';
import { isMissing } from '../../tools/needs.js';

const SYMFS = ['--symfs', RECORDED_ROOT] as const;
const NOISE = recordingPath('noise');

/** No program is found there. */
const withoutPerf = (dir: Directory) => ({ env: { PATH: dir.path } });

async function changed(dir: Directory, change: (recording: RawRecording) => RawRecording): Promise<string> {
  const path = dir.file('changed.data');
  await writeFile(path, putTogether(change(takeApart(await readFile(NOISE)))));
  return path;
}

const unitType = async () => {
  const info = takeApart(await readFile(NOISE)).records.find(({ type }) => type === 70);
  return info === undefined ? PT_TYPE : Number(info.bytes.readBigUInt64LE(16));
};
const withEventTrace = async (dir: Directory) => {
  const type = await unitType();
  return changed(dir, (recording) => withConfig(recording, type, (config) => config | (1n << 31n)));
};
const TIME_IS_KNOWN = 4;
const withoutTimes = (dir: Directory) => changed(dir, (recording) => withSettings(recording, { [TIME_IS_KNOWN]: 0 }));

const MAX_BUS_RATIO = 15;

test.for([256, 2 ** 31 - 1, -1])(
  'a bus ratio that no CPU has is unknown, as a missing one: %i',
  async (ratio, { dir }) => {
    const rendered = async (value: number) => {
      const path = await changed(dir, (recording) =>
        withSettings(recording, { [MAX_BUS_RATIO]: BigInt.asUintN(64, BigInt(value)) }),
      );
      return (await ptflame(['render', path, ...SYMFS, '--decoder', 'own', '-q'])).stdout;
    };
    const missing = await rendered(0);
    expect(await rendered(ratio)).toBe(missing);
    expect(await rendered(100)).not.toBe(missing);
  },
);

describe('without perf', () => {
  test.for([
    ['render', ['render', '--annotate', '--no-jumps']],
    ['report', ['report', '--no-jumps']],
    ['stacks', ['stacks', '--at', '+100us', '--no-jumps']],
    ['latency', ['latency', 'critical', '--no-jumps']],
    ['render --precise', ['render', '--precise']],
  ] as const)('every command reads a recording: %s', async ([, args], { dir }) => {
    const path = recordingPath('cpus-2');
    const [command, ...rest] = args;
    const run = await ptflame([command, ...rest, path, ...SYMFS], withoutPerf(dir));
    expect(run.exitCode).toBe(0);
    expect(run.stderr).not.toMatch(/perf is|start perf/);
    if (isMissing('perf')) return;
    expect(run).toEqual(await ptflame([command, ...rest, path, ...SYMFS, '--decoder', 'perf']));
  });

  test('jumps between functions are decoded unless --no-jumps says otherwise', async ({ dir }) => {
    const render = (...args: string[]) =>
      ptflame(['render', recordingPath('cpus-2'), ...SYMFS, '--annotate', '-q', ...args], withoutPerf(dir));
    const { stdout } = await render();
    expect((await render('--precise')).stdout).toBe(stdout);
    expect((await render('--no-jumps')).stdout).not.toBe(stdout);
    expectRefusal(await render('--precise', '--no-jumps'), 2, /--precise and --no-jumps are mutually exclusive/);
  });

  test('import and diff read one, too', async ({ dir }) => {
    const imported = await ptflame(['import', NOISE, ...SYMFS, '-o', dir.file('n.ptf')], withoutPerf(dir));
    expect(imported).toMatchObject({ exitCode: 0 });
    const direct = await ptflame(['report', NOISE, ...SYMFS, '-q'], withoutPerf(dir));
    expect((await ptflame(['report', dir.file('n.ptf'), '-q'])).stdout).toBe(direct.stdout);
    const diff = await ptflame(['diff', NOISE, dir.file('n.ptf'), ...SYMFS, '-q'], withoutPerf(dir));
    expect(diff).toMatchObject({ exitCode: 0, stderr: '' });
  });

  test('a pack is rendered', async ({ dir }) => {
    const pack = dir.file('noise.pack');
    expect(await ptflame(['pack', NOISE, ...SYMFS, '-o', pack, '-q'])).toMatchObject({ exitCode: 0 });
    const run = await ptflame(['render', pack, '-q'], withoutPerf(dir));
    expect(run).toEqual(await ptflame(['render', NOISE, ...SYMFS, '-q'], withoutPerf(dir)));
    expect(run.stdout).toContain('main');
  });

  test('what is not known is lost time, and the rest is shown', async ({ dir }) => {
    const path = await withEventTrace(dir);
    const args = ['render', path, ...SYMFS, '--annotate'];
    const { exitCode, stdout, stderr } = await ptflame(args, withoutPerf(dir));
    expect({ exitCode, stdout }).toEqual({
      exitCode: 0,
      stdout: (await ptflame(['render', NOISE, ...SYMFS, '--annotate', '-q'])).stdout,
    });
    const lines = stderr.split('\n').filter((line) => line.includes('only perf decodes'));
    expect(lines).toEqual([
      `warning: ${path} has event packets, which only perf decodes, and perf is missing: that time is lost`,
    ]);
    expect((await ptflame([...args, '-q'], withoutPerf(dir))).stderr).toBe('');
  });

  test('32-bit code is lost time', async ({ dir }) => {
    await mkdir(dir.file('root/opt/ptflame'), { recursive: true });
    await writeFile(dir.file('root/opt/ptflame/threads'), elfFile({ bits: 32 }));
    const run = await ptflame(['render', recordingPath('cpus-1'), '--symfs', dir.file('root')], withoutPerf(dir));
    expect(run).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('[lost]') });
    expect(run.stderr).toContain('has 32-bit code, which only perf decodes, and perf is missing: that time is lost');
  });

  test('a recording of which nothing can be shown is refused, with a remedy', async ({ dir }) => {
    const run = await ptflame(['render', await withoutTimes(dir), ...SYMFS], withoutPerf(dir));
    expectRefusal(run, 1, /has a trace without times, which only perf decodes, and perf is not installed/, /install/);
  });
});

describe('with perf', () => {
  const FAKE = 'case "$1" in --version) echo "perf version 6.1.0";; *) echo "$@" > "$0.asked";; esac';

  async function asking(dir: Directory): Promise<{ readonly env: Record<string, string>; readonly perf: string }> {
    await mkdir(dir.file('bin'));
    const perf = await fakePerf(dir, 'bin/perf', FAKE);
    return { env: { PATH: `${dir.file('bin')}${delimiter}${process.env['PATH']}` }, perf };
  }

  const asked = async (dir: Directory) => readFile(dir.file('bin/perf.asked'), 'utf8').catch(() => null);

  test('what is not known goes to it, with one line why', async ({ dir }) => {
    const { env } = await asking(dir);
    const path = await withEventTrace(dir);
    const { stderr } = await ptflame(['render', path, ...SYMFS], { env });
    expect(stderr.split('\n')[0]).toBe(
      `note: perf decodes ${path}: it has event packets, which ptflame does not decode itself`,
    );
    expect(stderr.match(/does not decode itself/g)).toHaveLength(1);
    expect(await asked(dir)).toContain('--itrace=cre');
    expect((await ptflame(['render', path, ...SYMFS, '-q'], { env })).stderr).not.toContain('itself');
  });

  test('32-bit code goes to it', async ({ dir }) => {
    const { env } = await asking(dir);
    await mkdir(dir.file('root/opt/ptflame'), { recursive: true });
    await writeFile(dir.file('root/opt/ptflame/threads'), elfFile({ bits: 32 }));
    const { stderr } = await ptflame(['render', recordingPath('cpus-1'), '--symfs', dir.file('root')], { env });
    expect(stderr).toContain('it has 32-bit code');
    expect(await asked(dir)).toContain('--itrace=cre');
  });

  test('what is known does not', async ({ dir }) => {
    const { env } = await asking(dir);
    expect(await ptflame(['render', NOISE, ...SYMFS, '-q'], { env })).toMatchObject({ exitCode: 0, stderr: '' });
    expect(await asked(dir)).toBeNull();
  });

  test('--perf PATH and --decoder perf choose it', async ({ dir }) => {
    const { env, perf } = await asking(dir);
    for (const args of [
      ['--perf', perf],
      ['--decoder', 'perf'],
    ]) {
      await writeFile(dir.file('bin/perf.asked'), '');
      await ptflame(['render', NOISE, ...SYMFS, ...args], { env });
      expect(await asked(dir), args.join(' ')).toContain('script');
    }
  });
});

test('--decoder own refuses what only perf decodes', async ({ dir }) => {
  const run = await ptflame(['render', await withEventTrace(dir), ...SYMFS, '--decoder', 'own']);
  expectRefusal(run, 2, /--decoder own cannot decode event packets/, /leave out --decoder/);
});

/**
 * Recordings of wakings: next to a recording, or under a name that --wakes gives.
 */
import { describe, expect } from 'vitest';
import { RecordingInfo } from '../../../cli/info/recording-info.js';
import { readRecording } from '../../../src/perfdata/read-recording.js';
import { type Directory, expectRefusal, ptflame, test } from '../../helpers/cli/run-cli.js';
import { fileOf } from '../../helpers/perf/perf-data.js';
import { fixture } from '../../helpers/traces/load.js';

/** Writes a recording, and the one of wakings under a name; returns their paths. */
async function recorded(dir: Directory, wakes: string): Promise<[string, string]> {
  await dir.write('a.data', fixture('waits/waitlab.proc.data.gz'));
  await dir.write(wakes, fixture('waits/waitlab.wake.data.gz'));
  return [dir.file('a.data'), dir.file(wakes)];
}

/** Returns the switches of the same recording, as perf prints them. */
async function switchLines(): Promise<string[]> {
  const { sideband } = await readRecording(fileOf(fixture('waits/waits.data.gz')));
  return sideband.flatMap(({ tid, cpu, time, record }) => {
    if (record.what !== 'switch' || time === null) return [];
    const words = { in: 'IN', out: 'OUT', preempted: 'OUT preempt' }[record.direction];
    return [`${tid} [${cpu}] ${time.seconds}.${String(time.ns).padStart(9, '0')}: PERF_RECORD_SWITCH ${words}\n`];
  });
}

async function waitsOf(...words: readonly string[]): Promise<string> {
  const { exitCode, stdout, stderr } = await ptflame(['waits', ...words, '--json', '--quiet']);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  return stdout;
}

describe.concurrent('wakings of the whole machine', () => {
  test('may have any name', async ({ dir }) => {
    const [path, wakes] = await recorded(dir, 'b.data');
    const given = await waitsOf(path, '--wakes', wakes);
    const without = await waitsOf(path);
    await dir.write('a.data.wakes.data', fixture('waits/waitlab.wake.data.gz'));
    const found = await waitsOf(path);
    expect(given.replaceAll(wakes, `${path}.wakes.data`)).toBe(found);
    expect(without).not.toBe(found);
  });

  test('may be text of their own', async ({ dir }) => {
    const samples = fixture('waits/waits.txt.gz')
      .toString()
      .split(/(?<=\n)/);
    const lines = [...samples, ...(await switchLines())];
    const isWaking = (line: string) => line.includes('sched_waking');
    await dir.write('all.txt', lines.join(''));
    await dir.write('a.txt', lines.filter((line) => !isWaking(line)).join(''));
    await dir.write('b.txt', lines.filter(isWaking).join(''));
    const all = await waitsOf(dir.file('all.txt'), '-j', '1');
    expect(JSON.parse(all).stats.waits).toBeGreaterThan(100);
    expect(await waitsOf(dir.file('all.txt'), '-j', '4')).toBe(all);
    expect(await waitsOf(dir.file('b.txt'), dir.file('a.txt'))).toBe(all);
    expect(await waitsOf(dir.file('a.txt'))).not.toBe(all);
  });

  test('belong to one recording', async ({ dir }) => {
    const [path, wakes] = await recorded(dir, 'b.data');
    await dir.write('a.txt', fixture('waits/waitlab.proc.txt.gz'));
    const refused = async (...words: string[]) => ptflame(['waits', ...words, '--quiet']);
    expectRefusal(await refused(path, path, '--wakes', wakes), 2, /several inputs/);
    expectRefusal(await refused(dir.file('a.txt'), '--wakes', wakes), 2, /a\.txt is none/);
    expectRefusal(await refused(path, '--wakes', dir.file('no.data')), 1, /no\.data: no such file/);
  });
});

describe.concurrent('info', () => {
  const info = async (...words: readonly string[]) => (await ptflame(['info', ...words])).stdout;

  test('shows the samples of a recording and of its wakings', async ({ dir }) => {
    const [path, wakes] = await recorded(dir, 'b.data');
    const text = await info(path, '--wakes', wakes);
    expect(text).toMatch(/\nsamples {3}473 sched:sched_switch\n/);
    expect(text).toMatch(/\n {10} {1,2}24 probe_libc:lock_slow\n/);
    expect(text).toContain(`wakings   ${wakes}\n          269 sched:sched_waking\n`);
    expect(await info(path)).toContain(`wakings   ${path}.wakes.data is missing`);
    const json = RecordingInfo.strict().parse(JSON.parse(await info(path, '--json', '--wakes', wakes)));
    expect(json.samples).toMatchObject({ unreadable: 0, damaged: 0 });
    expect(json.samples.events).toContainEqual({ event: 'sched:sched_waking', count: 213 });
    const events = [{ event: 'sched:sched_waking', count: 269 }];
    expect(json.sides).toEqual([
      { file: wakes, samples: { events, unreadable: 0, damaged: 0, others: [] }, lostRecords: 0 },
    ]);
  });

  test('names the wakings in a pack as the pack does', async ({ dir }) => {
    await recorded(dir, 'a.data.wakes.data');
    await ptflame(['pack', 'a.data', '-o', 'a.pack'], { cwd: dir.path });
    expect(await info(dir.file('a.pack'))).toContain('\nwakings   recording.wakes.data\n');
  });

  test('shows the samples of an imported trace', async ({ dir }) => {
    const branch = (at: string) => `7491 [003] ${at}:   call          401000 main+0x0 => 402000 work+0x0\n`;
    const text = fixture('waits/waitlab.wake.txt.gz').toString();
    await dir.write('a.txt', `${branch('6082.000000001')}${branch('6082.000000002')}${text}`);
    await ptflame(['import', dir.file('a.txt'), '-o', dir.file('a.ptf'), '--quiet']);
    expect(await info(dir.file('a.ptf'))).toContain('\nsamples   269 sched:sched_waking\n');
    expect(JSON.parse(await info(dir.file('a.ptf'), '--json'))).toMatchObject({
      samples: { events: [{ event: 'sched:sched_waking', count: 269 }], unreadable: 0, damaged: 0, others: [] },
      sides: [],
    });
  });
});

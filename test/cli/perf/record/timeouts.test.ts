/**
 * A perf that does not end when it is asked to.
 */
import { afterEach, describe, expect, vi } from 'vitest';
import { RecordOptions } from '../../../../cli/options/record.js';
import { probe } from '../../../../cli/perf/machine/probe.js';
import { planRecording } from '../../../../cli/perf/plan/recording-plan.js';
import { recordToFile } from '../../../../cli/perf/record/record-to-file.js';
import { type Directory, test } from '../../../helpers/cli/run-cli.js';
import { machineTree } from '../../../helpers/perf/machine-tree.js';
import { FAKE_PERF } from '../../../helpers/perf/record-runs.js';

const TIMEOUTS = { startMs: 60_000, noticeMs: 300, stalledMs: 1500, termMs: 300 };

async function recordWith(play: string, dir: Directory, timeouts = TIMEOUTS) {
  vi.stubEnv('FAKE_PERF_PLAY', play);
  const machine = await probe(await machineTree(dir.file('root')));
  const options = RecordOptions.parse({ pid: ['1'], time: '10ms', output: dir.file('perf.data'), perf: FAKE_PERF });
  const version = { text: '6.1', major: 6, minor: 1 };
  const target = { kind: 'processes', pids: [1], perThread: false } as const;
  const plan = await planRecording(options, target, machine, version);
  const said: string[] = [];
  const recording = recordToFile(plan, { machine, version, notify: (text) => said.push(text), timeouts: timeouts });
  return {
    said,
    error: await recording.then(
      () => null,
      (error) => error,
    ),
  };
}

describe('a perf', () => {
  afterEach(() => vi.unstubAllEnvs());

  test('that writes for long is waited for, and that is said', async ({ dir }) => {
    const { said, error } = await recordWith('slow', dir);
    expect(error).toBeNull();
    expect(said.join('\n')).toContain('perf still writes its recording');
  });

  test('that neither ends nor writes is killed', async ({ dir }) => {
    const { said, error } = await recordWith('deaf', dir);
    expect(error).toMatchObject({ code: 'PERF_KILLED', message: expect.stringContaining('had to be killed') });
    expect(said).toContain('perf does not end: it is killed');
  });

  test('that never begins is killed', async ({ dir }) => {
    const { error } = await recordWith('hang', dir, { ...TIMEOUTS, startMs: 1000 });
    expect(error).toMatchObject({ code: 'PERF_KILLED', message: expect.stringContaining('did not begin') });
    expect((await dir.names()).filter((name) => name.startsWith('perf.data'))).toEqual([]);
  });
});

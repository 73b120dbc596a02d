/**
 * Handles a perf that does not start or stop in time.
 */
import { afterEach, describe, expect, vi } from 'vitest';
import { probe } from '../../../../cli/record/machine/probe.js';
import { RecordOptions } from '../../../../cli/record/options.js';
import { recordToFile } from '../../../../cli/record/record-to-file.js';
import { planRecording } from '../../../../cli/record/recording-plan.js';
import { type Directory, test } from '../../../helpers/cli/run-cli.js';
import { machineTree } from '../../../helpers/perf/machine-tree.js';
import { FAKE_PERF } from '../../../helpers/perf/record-runs.js';

const TIMEOUTS = { startMs: 60_000, noticeMs: 300, stalledMs: 1500, termMs: 300 };

async function recordWith(mode: string, dir: Directory, timeouts = TIMEOUTS) {
  vi.stubEnv('FAKE_PERF_MODE', mode);
  const machine = await probe(await machineTree(dir.file('root')));
  const options = RecordOptions.parse({ pid: ['1'], time: '10ms', output: dir.file('perf.data'), perf: FAKE_PERF });
  const version = { text: '6.1', major: 6, minor: 1 };
  const target = { kind: 'processes', pids: [1], perThread: false } as const;
  const plan = await planRecording({ options, target, machine, version, group: 'ptflame_1' });
  const notices: string[] = [];
  const recording = recordToFile(plan, { machine, version, notify: (text) => notices.push(text), timeouts: timeouts });
  return {
    notices,
    error: await recording.then(
      () => null,
      (error) => error,
    ),
  };
}

describe('a slow perf', () => {
  afterEach(() => vi.unstubAllEnvs());

  test('may take long to write, and the user is told', async ({ dir }) => {
    const { notices, error } = await recordWith('slow', dir);
    expect(error).toBeNull();
    expect(notices.join('\n')).toContain('perf is still writing the recording');
  });

  test('is killed if it neither ends nor writes', async ({ dir }) => {
    const { notices, error } = await recordWith('deaf', dir);
    expect(error).toMatchObject({ code: 'PERF_KILLED', message: expect.stringContaining('had to be killed') });
    expect(notices).toContain('perf does not exit; killing it');
  });

  test('is killed if it never begins to record', async ({ dir }) => {
    const { error } = await recordWith('hang', dir, { ...TIMEOUTS, startMs: 1000 });
    expect(error).toMatchObject({ code: 'PERF_KILLED', message: expect.stringContaining('did not begin') });
    expect((await dir.names()).filter((name) => name.startsWith('perf.data'))).toEqual([]);
  });
});

/**
 * Inputs of several hosts: one trace has one clock.
 */
import { expect, test } from 'vitest';
import type { RecordingEnvironment } from '../../../src/model/profile/profile.js';
import { readRecording } from '../../../src/perfdata/read-recording.js';
import type { AnalyzedInput } from '../../../src/pipeline/read/read-trace.js';
import { withTrace } from '../../../src/pipeline/with-trace.js';
import { inputHosts } from '../../../src/questions/requests/with-hosts.js';
import { fileOf } from '../../helpers/perf/perf-data.js';
import { fixture, inputOf } from '../../helpers/traces/load.js';

const UNKNOWN = { host: null, kernel: null, cpu: null, perf: null, command: null, startedAt: null };

const sampled = await readRecording(fileOf(fixture('waits/values.data.gz')));

function recordedOn(host: string | null): AnalyzedInput {
  const recorded: RecordingEnvironment = { ...UNKNOWN, host };
  return { name: `${host}.data`, sampled, sides: [], recorded, broken: null };
}

const threadsOf = (inputs: readonly AnalyzedInput[]) =>
  withTrace(inputs, { byCalls: false, mayLackBranches: true }, async ({ samples }) => samples.length);

test('recordings of two hosts are not one trace', async () => {
  const refused = threadsOf([recordedOn('web'), recordedOn(null), recordedOn('db')]);
  await expect(refused).rejects.toThrow(
    'web.data was recorded on web, db.data was recorded on db: their clocks and thread ids differ',
  );
});

test('recordings of one host are one trace, and so are those that do not say it', async () => {
  expect(await threadsOf([recordedOn('web'), recordedOn('web'), recordedOn(null)])).toBeGreaterThan(0);
  expect(await threadsOf([recordedOn(null), recordedOn(null)])).toBeGreaterThan(0);
});

test('a host that the user names is that of the input, whatever the recording says', async () => {
  const [one, other] = inputHosts([recordedOn('web'), recordedOn('pod'), recordedOn('db')], [null, 'web', null]);
  expect([one.name, one.inputs.length, other.name, other.inputs.length]).toEqual(['web', 2, 'db', 1]);
  expect(await threadsOf(one.inputs)).toBeGreaterThan(0);
});

test('text does not say its host, which must be named beside a recording that does', () => {
  const inputs = [recordedOn('web'), inputOf('', 'db.txt')];
  expect(inputHosts(inputs, [null, null])).toHaveLength(1);
  expect(() => inputHosts([recordedOn('db'), ...inputs], [])).toThrow('the host that recorded db.txt is not known');
});

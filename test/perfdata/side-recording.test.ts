/**
 * Recordings made next to a recording: found, missing, or refused because of their clock.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openRecording, openSideRecording } from '../../src/perfdata/open-recording.js';
import type { Recording } from '../../src/perfdata/recording.js';
import { fixture } from '../helpers/traces/load.js';

let folder = '';
let main: Recording;
const SIDE = fixture('waits/waitlab.wake.data.gz');
const pathOf = (name: string) => join(folder, name);
const open = (name: string, recording = main) => openSideRecording({ name: 'main', recording }, pathOf(name));

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ptflame-sides-'));
  await writeFile(pathOf('main'), fixture('waits/waitlab.proc.data.gz'));
  await writeFile(pathOf('side'), SIDE);
  main = await openRecording(pathOf('main'));
});

afterAll(() => rm(folder, { recursive: true }));

test('reads a side recording', async () => {
  const { name, recording } = await open('side');
  expect(name).toBe(pathOf('side'));
  expect(recording?.samples.tables[0]).toMatchObject({ event: 'sched:sched_waking', length: 269 });
});

test('a missing one is not an error', async () => expect((await open('nothing')).recording).toBeNull());

test('refuses what is not a recording', async () => {
  await writeFile(pathOf('text'), 'text');
  await expect(open('text')).rejects.toMatchObject({ code: 'INPUT_KIND' });
});

const perfsClock = () => ({ ...main, clockId: null });
const atSecond = (seconds: number) => ({
  ...main,
  bounds: { start: { seconds, ns: 0 }, end: { seconds, ns: 5 } },
});
const onHost = (hostName: string | null) => ({ ...main, machine: { ...main.machine, hostName } });

test.each<[string, () => Recording, RegExp]>([
  ['on another clock', perfsClock, /its times are of CLOCK_MONOTONIC, not of perf's own clock/],
  ['of an earlier time', () => atSecond(6_100), /recorded at another time/],
  ['of a later time', () => atSecond(6_072), /recorded at another time/],
  ['of another host', () => onHost('other'), /recorded on vm, not on other/],
])('refuses one %s', async (_, recording, message) => {
  await expect(open('side', recording())).rejects.toMatchObject({
    code: 'OTHER_CLOCK',
    message: expect.stringMatching(message),
  });
});

test.each<[string, () => Recording]>([
  ['ended just before', () => atSecond(6_092)],
  ['begins soon after', () => atSecond(6_074)],
  ['is of an unknown host', () => onHost(null)],
])('accepts one that %s', async (_, recording) => {
  expect((await open('side', recording())).recording).not.toBeNull();
});

test('reads a cut one as far as it goes', async () => {
  const { formats } = (await openRecording(pathOf('side'))).samples;
  await writeFile(pathOf('cut'), SIDE.subarray(0, 30_000));
  const cut = await openSideRecording({ name: 'main', recording: main }, pathOf('cut'), { formats });
  expect(cut.recording?.samples.tables[0]?.length).toBeLessThan(269);
  expect(cut.recording?.samples.tables[0]?.length).toBeGreaterThan(100);
});

test('reads one of a killed perf with the formats next to the recording', async () => {
  const killed = Buffer.from(SIDE);
  killed.fill(0, 72, 104); // no features: perf writes them last
  const [format = ''] = /name: sched_waking\n[\s\S]*?\nprint fmt: .*/.exec(SIDE.toString('latin1')) ?? [];
  await writeFile(pathOf('cut.wakes.data'), killed);
  const tables = async () => (await openRecording(pathOf('cut.wakes.data'))).samples.tables;
  expect(await tables()).toEqual([]);
  await writeFile(pathOf('cut.formats'), `event sched:sched_waking\n${format}\n`);
  expect((await tables())[0]).toMatchObject({ event: 'sched:sched_waking', length: 269 });
});

/**
 * What `ptflame waits` answers: of a real recording without Intel PT, and of a trace with calls but without samples.
 */
import { expect, test } from 'vitest';
import { slowWaitLines, waitsLines } from '../../../cli/commands/waits.js';
import { type WaitStats, WaitsAnswer, waitsAnswer } from '../../../src/answers.js';
import { askWaits, type WaitsQuestion } from '../../../src/index.js';
import type { Selection } from '../../../src/model/trace/trace-chunk.js';
import { readRecording } from '../../../src/perfdata/read-recording.js';
import { fileOf } from '../../helpers/perf/perf-data.js';
import { fixture, inputOf } from '../../helpers/traces/load.js';
import { traceOf } from '../../helpers/traces/trace-of.js';

const recordingOf = (name: string) => readRecording(fileOf(fixture(`waits/${name}.data.gz`)));

const WAITLAB = { name: 'waitlab.data', recorded: null, broken: null };

/** `sides`: with the wakings by all threads of the machine. */
async function askReal(question: WaitsQuestion, hasSides = true): Promise<WaitsAnswer> {
  const sides = hasSides ? [{ name: 'wakings', recording: await recordingOf('waitlab.wake') }] : [];
  const sampled = await recordingOf('waitlab.proc');
  const result = await askWaits([{ ...WAITLAB, sampled, sides }], question);
  return exact(waitsAnswer(result));
}

function exact(answer: WaitsAnswer): WaitsAnswer {
  expect(WaitsAnswer.parse(JSON.parse(JSON.stringify(answer)))).toEqual(answer);
  return answer;
}

const sum = (values: readonly number[]) => values.reduce((all, value) => all + value, 0);
const totals = (rows: readonly { readonly stats: WaitStats }[]) => sum(rows.map(({ stats }) => stats.totalNs));

test('every table of an answer adds up to its total', async () => {
  const { stats, reasons, threads, wakers, histogram, wakeUps } = await askReal({});
  expect(stats.waits).toBeGreaterThan(500);
  for (const rows of [reasons, threads]) {
    expect(totals(rows)).toBe(stats.totalNs);
    expect(sum(rows.map((row) => row.stats.waits))).toBe(stats.waits);
  }
  expect(totals(wakers)).toBe(stats.totalNs - stats.preemptedNs - stats.unknownNs);
  expect(sum(histogram.map(({ waits }) => waits))).toBe(stats.waits - stats.openWaits);
  expect(sum(histogram.map((row) => row.wakeUps))).toBe(wakeUps.waits);
});

test('wakers are named, those without a trace in brackets, and interrupts as such', async () => {
  const lines = waitsLines(await askReal({}), { inside: undefined, width: 120, top: 0 });
  expect(lines).toContainEqual(expect.stringMatching(/ teller \(6 threads\)$/));
  expect(lines).toContainEqual(expect.stringMatching(/ \[interrupt\] a timer or a device$/));
  expect(lines).toContainEqual(expect.stringMatching(/ \[migration\/2 26\]$/));
  expect(lines).toContain('note: recorded without Intel PT: functions are not known');
});

test('without --waits=full, an answer says what shows why threads waited', async () => {
  const recording = await recordingOf('waitlab.proc');
  const tables = recording.samples.tables.filter(({ event }) => event !== 'sched:sched_switch');
  const sampled = { ...recording, samples: { ...recording.samples, tables } };
  const { missing } = waitsAnswer(await askWaits([{ ...WAITLAB, sampled, sides: [] }], {}));
  const remedy = 'ptflame record --waits=full shows why threads waited';
  expect(missing).toContainEqual({ what: 'recorded without Intel PT: functions are not known', remedy });
});

test('threads of a recording without branches are selected by number, process, name and CPU', async () => {
  const all = await askReal({});
  const asked = async (select: Selection) => {
    const sampled = await recordingOf('waitlab.proc');
    return waitsAnswer(await askWaits([{ ...WAITLAB, sampled, sides: [] }], {}, { select }));
  };
  const numbers = ({ threads }: WaitsAnswer) => threads.map(({ thread }) => thread.tid).sort((a, b) => a - b);
  const named = all.threads.filter(({ thread }) => thread.comm === 'customer');
  expect(named).toHaveLength(6);
  const customers = await asked({ comm: /^customer$/ });
  expect(numbers(customers)).toEqual(named.map(({ thread }) => thread.tid).sort((a, b) => a - b));
  expect(customers.stats.totalNs).toBe(totals(named));
  expect(customers.trace.threads).toBe(6);
  const others = await asked({ excludeComm: /^customer$/ });
  expect([...numbers(customers), ...numbers(others)].sort((a, b) => a - b)).toEqual(numbers(all));
  expect(numbers(await asked({ tids: [7494, 7493], comm: /teller/ }))).toEqual([7493]);
  expect(numbers(await asked({ pids: [7491] }))).toEqual(numbers(all));
  expect(numbers(await asked({ tids: [7494], cpus: [2] }))).toEqual([7494]);
  for (const none of [{ tids: [1] }, { pids: [1] }, { comm: /^nobody$/ }, { cpus: [4096] }])
    await expect(asked(none)).rejects.toMatchObject({ code: 'NOTHING_SELECTED' });
});

test('a wait is in the function of the program, also in a text without file names', async () => {
  const inLibrary = (...names: string[]) => [
    ...names.map((name, at) => `${20 + at} call ${names[at - 1] ?? 'serve'} ${name}`),
    `30 tr end  syscall ${names.at(-1)}`,
    '40 PERF_RECORD_SWITCH OUT',
    '90 PERF_RECORD_SWITCH IN',
    `95 tr strt  ${names.at(-1)}`,
  ];
  const placeOf = async (...names: string[]) => {
    const { places } = await asked(['10 call main serve', ...inLibrary(...names)]);
    return places.map((place) => [place.function?.name, place.call?.name]);
  };
  const asked = async (lines: readonly string[]) =>
    exact(waitsAnswer(await askWaits([inputOf(traceOf(lines.join('\n')))], {})));
  expect(await placeOf('do_futex_wait.constprop.0', '__futex_abstimed_wait_common')).toEqual([
    ['serve', 'do_futex_wait.constprop.0'],
  ]);
  expect(await placeOf('__GI___futex_abstimed_wait_cancelable64')).toEqual([
    ['serve', '__GI___futex_abstimed_wait_cancelable64'],
  ]);
  expect(await placeOf('ioctl@@GLIBC_2.2.5')).toEqual([['serve', 'ioctl@@GLIBC_2.2.5']]);
  expect(await placeOf('wait_for_futex')).toEqual([['wait_for_futex', undefined]]);
});

test('threads of a text without switch records are those whose own switches were sampled', async () => {
  const text = (comm: string, tid: number, ms: number, rest: string) =>
    `${comm} ${tid} [000] 10.00${ms}000000: sched:sched_switch: ${rest}\n`;
  const outAndIn = [
    text(
      'alice',
      11,
      1,
      'prev_comm=alice prev_pid=11 prev_prio=120 prev_state=S ==> next_comm=bob next_pid=12 next_prio=120',
    ),
    text(
      'bob',
      12,
      4,
      'prev_comm=bob prev_pid=12 prev_prio=120 prev_state=S ==> next_comm=alice next_pid=11 next_prio=120',
    ),
  ].join('');
  const asked = async (select: Selection = {}) => waitsAnswer(await askWaits([inputOf(outAndIn)], {}, { select }));
  const { threads } = await asked();
  expect(threads.map(({ thread, stats }) => [thread.comm, stats.waits, stats.blockedNs])).toEqual([
    ['alice', 1, 3_000_000],
  ]);
  expect((await asked()).trace.threads).toBe(2);
  expect((await asked({ comm: /^alice$/ })).trace.threads).toBe(1);
});

test('without the wakings of the machine, less is explained, and nothing differently', async () => {
  const [withSides, alone] = [await askReal({}), await askReal({}, false)];
  expect(alone.stats.unexplainedNs).toBeGreaterThan(withSides.stats.unexplainedNs);
  expect(alone.stats.totalNs).toBe(withSides.stats.totalNs);
});

test('the pieces of the slowest waits add up to them', async () => {
  const { slowest } = await askReal({ slowest: 50 });
  expect(slowest).toHaveLength(50);
  for (const slow of slowest) {
    expect(sum(slow.path.map(({ durationNs }) => durationNs))).toBe(slow.durationNs);
    slow.path.reduce((atNs, { fromNs, durationNs }) => {
      expect(fromNs).toBe(atNs);
      return fromNs + durationNs;
    }, 0);
  }
  expect(slowest.map(({ durationNs }) => durationNs)).toEqual(
    slowest.map(({ durationNs }) => durationNs).sort((a, b) => b - a),
  );
  expect(slowWaitLines(slowest[0], 0, 120)[0]).toMatch(
    /^slowest wait 1: 35 ms from \d+\.\d+ in waitlab 7491, join 0x7f/,
  );
});

test('calls cannot be asked for without Intel PT', async () => {
  await expect(askReal({ inside: 'transfer' })).rejects.toMatchObject({ code: 'NO_BRANCHES' });
});

/** Three calls of `job`, each of which waits in `pthread_cond_wait`: for 10, 20 and 30 ns. */
const TRACE = [0, 1, 2]
  .map((at) => ({ ns: 100 * (at + 1), waitNs: 10 * (at + 1) }))
  .map(({ ns, waitNs }) =>
    traceOf(`
      ${ns}       call             main               job
      ${ns + 5}   call             job                prepare
      ${ns + 7}   return           prepare            job
      ${ns + 10}  call             job                pthread_cond_wait
      ${ns + 20}  tr end  syscall  pthread_cond_wait
      ${ns + 21}  PERF_RECORD_SWITCH OUT
      ${ns + 21 + waitNs}  PERF_RECORD_SWITCH IN
      ${ns + 60}  tr strt                             pthread_cond_wait
      ${ns + 70}  return           pthread_cond_wait  job
      ${ns + 80}  return           job                main`),
  )
  .join('');

async function askText(question: WaitsQuestion): Promise<WaitsAnswer> {
  return exact(waitsAnswer(await askWaits([inputOf(TRACE)], question, { extend: false })));
}

test('waits are counted in the functions that waited, and inside calls', async () => {
  for (const answer of [await askText({}), await askText({ inside: 'job' })]) {
    expect(answer.stats).toMatchObject({ waits: 3, totalNs: 60, blockedNs: 60, avgNs: 20, p50Ns: 20, maxNs: 30 });
    expect(answer.reasons.map(({ reason }) => reason)).toEqual(['condition']);
    expect(answer.places).toMatchObject([{ function: { name: 'job' }, call: { name: 'pthread_cond_wait' } }]);
    expect(answer.missing[0].what).toMatch(/^no wakings were recorded/);
    expect(answer.quality).not.toBeNull();
  }
  expect((await askText({ inside: 'job' })).inside).toEqual({ calls: 3, inferred: 0, totalNs: 240, offNs: 60 });
  expect((await askText({ inside: 'prepare' })).stats.waits).toBe(0);
  await expect(askText({ inside: 'nothing' })).rejects.toMatchObject({ code: 'NO_SUCH_FUNCTION' });
});

test('the slowest calls say which functions ran, and where they waited', async () => {
  const { slowest } = await askText({ inside: 'job', slowest: 2 });
  expect(slowest.map(({ kind, durationNs, start }) => [kind, durationNs, start])).toEqual([
    ['call', 80, '1.000000100'],
    ['call', 80, '1.000000200'],
  ]);
  expect(slowest[0].path.map(({ kind, durationNs, reason }) => [kind, durationNs, reason])).toEqual([
    ['running', 21, null],
    ['not-seen', 10, 'condition'],
    ['running', 49, null],
  ]);
  expect(slowest[0].path[0].functions).toEqual([
    { name: 'job', dso: null, ns: 19 },
    { name: 'prepare', dso: null, ns: 2 },
  ]);
});

test('stages are from the call of one function to the call of the next', async () => {
  const points = ['job', 'prepare', 'pthread_cond_wait'];
  const { stages } = await askText({ points });
  expect(stages).toMatchObject({ complete: 3, incomplete: 0 });
  expect(stages?.rows.map(({ from, to, avgNs, onCpuNs }) => [from, to, avgNs, onCpuNs])).toEqual([
    ['job', 'prepare', 5, 15],
    ['prepare', 'pthread_cond_wait', 5, 15],
    ['job', 'pthread_cond_wait', 10, 30],
  ]);
});

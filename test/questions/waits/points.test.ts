/**
 * Stages between probes, other events and functions: a waiter takes an order, and the kitchen is told by a probe.
 */
import { describe, expect, test } from 'vitest';
import { waitsLines } from '../../../cli/commands/waits.js';
import { WaitsAnswer, waitsAnswer } from '../../../src/answers.js';
import { type AnalyzedInput, type AnalyzeOptions, askWaits } from '../../../src/index.js';
import { SampleContext } from '../../../src/model/sample-table.js';
import { SampleTablesBuilder } from '../../../src/model/sample-tables-builder.js';
import { findPoint } from '../../../src/questions/waits/points.js';
import { fixture, inputOf } from '../../helpers/traces/load.js';
import { traceOf } from '../../helpers/traces/trace-of.js';

const CALLS = [100, 200]
  .map((ns) =>
    traceOf(`
      ${ns}       call             main    order
      ${ns + 20}  call             order   cook
      ${ns + 30}  tr end  syscall  cook
      ${ns + 31}  PERF_RECORD_SWITCH OUT
      ${ns + 51}  PERF_RECORD_SWITCH IN
      ${ns + 60}  tr strt                  cook
      ${ns + 70}  return           cook    order
      ${ns + 80}  return           order   main`),
  )
  .join('');

const samplesOf = (event: string, tid: number, ...times: number[]) =>
  times.map((ns) => `waiter 1/${tid} [000] 1.${String(ns).padStart(9, '0')}: ${event}: (401000) dish=0x7\n`).join('');

const SAMPLES = [
  samplesOf('probe_inn:told', 1, 110, 210),
  samplesOf('probe_inn:told', 2, 111),
  samplesOf('probe_inn:cook', 1, 122, 222),
  samplesOf('probe_inn:paid', 1, 175, 275),
  samplesOf('probe_bar:paid', 1, 176),
  samplesOf('inn:order', 1, 105),
].join('');

async function stagesOf(
  points: readonly (string | RegExp)[],
  { calls = CALLS, ...options }: AnalyzeOptions & { calls?: string } = {},
) {
  const inputs: AnalyzedInput[] = [calls, SAMPLES].filter((text) => text !== '').map((text) => inputOf(text));
  const result = await askWaits(inputs, { points }, { extend: false, ...options });
  const answer = waitsAnswer(result);
  expect(WaitsAnswer.parse(JSON.parse(JSON.stringify(answer)))).toEqual(answer);
  const lines = waitsLines(answer, { inside: undefined, width: 100, top: 0 });
  return { ...(answer.stages as NonNullable<typeof answer.stages>), lines };
}

const rowsOf = ({ rows }: Awaited<ReturnType<typeof stagesOf>>) =>
  rows.map(({ from, to, passes, avgNs, blockedNs }) => [from, to, passes, avgNs, blockedNs]);

test('stages are between calls and samples of one thread', async () => {
  const found = await stagesOf(['order', 'told', 'cook', 'probe_inn:paid']);
  expect(rowsOf(found)).toEqual([
    ['order', 'told', 2, 10, 0],
    ['told', 'cook', 2, 10, 0],
    ['cook', 'probe_inn:paid', 2, 55, 40],
    ['order', 'probe_inn:paid', 2, 75, 40],
  ]);
  expect(found.points).toEqual([
    { name: 'order', kind: 'function', event: 'inn:order' },
    { name: 'told', kind: 'event', event: 'probe_inn:told' },
    { name: 'cook', kind: 'function', event: 'probe_inn:cook' },
    { name: 'probe_inn:paid', kind: 'event', event: 'probe_inn:paid' },
  ]);
  expect(found.lines.filter((line) => line.includes('is the function'))).toEqual([
    'order is the function: --points inn:order is the event of that name',
    'cook is the function: --points probe_inn:cook is the event of that name',
  ]);
});

test('a name that is both is the function, and with its group the event', async () => {
  expect(rowsOf(await stagesOf(['order', 'cook']))).toEqual([['order', 'cook', 2, 20, 0]]);
  for (const name of ['probe:cook', 'probe_inn:cook'])
    expect(rowsOf(await stagesOf(['order', name]))).toEqual([['order', name, 2, 22, 0]]);
  const { incomplete, lines, ...found } = await stagesOf(['inn:order', 'probe:cook']);
  expect(rowsOf({ incomplete, lines, ...found })).toEqual([['inn:order', 'probe:cook', 1, 17, 0]]);
  expect(incomplete).toBe(0);
  expect(lines.join('\n')).not.toContain('is the function');
});

test('a probe of the kernel, whose group is just that, is one with its full name', () => {
  const builder = new SampleTablesBuilder();
  const sample = { timeNs: 0, tid: 1, pid: 1, cpu: 0, context: SampleContext.Task, values: [] };
  for (const event of ['probe:swept', 'probe_inn:swept']) builder.add(event, sample);
  const tables = builder.build();
  expect(findPoint('probe:swept', tables, null)).toEqual({ kind: 'event', event: 'probe:swept' });
  expect(() => findPoint('swept', tables, null)).toThrow('swept is one of several events');
});

test('samples count in the window, and of the selected threads', async () => {
  const points = ['told', 'probe:cook'];
  const within = (from: number, to: number) => ({
    window: { from: { afterStartNs: from - 100 }, to: { afterStartNs: to - 100 } },
  });
  expect(await stagesOf(points)).toMatchObject({ complete: 2, incomplete: 1 });
  expect(await stagesOf(points, within(150, 300))).toMatchObject({ complete: 1, incomplete: 0 });
  expect(await stagesOf(points, within(110, 122))).toMatchObject({ complete: 0, incomplete: 2 });
  expect(await stagesOf(points, within(111, 211))).toMatchObject({ complete: 0, incomplete: 2 });
  expect(await stagesOf(points, { select: { tids: [1] } })).toMatchObject({ complete: 2, incomplete: 0 });
});

test('a point that another one is, too, is the earlier one', async () => {
  expect(await stagesOf(['told', 'probe_inn:told'])).toMatchObject({ complete: 0, incomplete: 3 });
});

describe('what is at the same moment', () => {
  test('is in the order of the points', async () => {
    const calls = CALLS.replace(/1\.000000120/g, '1.000000122');
    expect(rowsOf(await stagesOf(['probe:cook', 'cook'], { calls }))[0]).toEqual(['probe:cook', 'cook', 1, 0, 0]);
    expect(rowsOf(await stagesOf(['cook', 'probe:cook'], { calls }))[0]).toEqual(['cook', 'probe:cook', 2, 1, 0]);
  });
});

describe('a point that is not there is refused, with what there is', () => {
  test.each<[string | RegExp, string, string]>([
    ['coook', 'NO_SUCH_FUNCTION', 'did you mean cook?'],
    ['coook', 'NO_SUCH_FUNCTION', 'of events, it has inn:order, probe_bar:paid, probe_inn:cook,'],
    [/told/, 'NO_SUCH_FUNCTION', 'of events, it has'],
    ['probe:order', 'NOT_RECORDED', 'it has probe_bar:paid, probe_inn:cook, probe_inn:paid, probe_inn:told'],
    ['paid', 'BAD_OPTION', 'choose one: probe_bar:paid, probe_inn:paid'],
    ['probe:paid', 'BAD_OPTION', 'choose one: probe_bar:paid, probe_inn:paid'],
    ['probe::cook', 'NO_SUCH_FUNCTION', 'ptflame report --match REGEX'],
  ])('%s', async (point, code, hint) => {
    await expect(stagesOf(['order', point])).rejects.toMatchObject({ code, hint: expect.stringContaining(hint) });
  });

  test('without calls', async () => {
    const switched = 'waiter 1/1 [000] 1.000000131: PERF_RECORD_SWITCH OUT\n';
    const asked = (...points: string[]) => stagesOf(points, { calls: switched });
    expect(rowsOf(await asked('told', 'cook'))[0]?.slice(0, 4)).toEqual(['told', 'cook', 2, 12]);
    await expect(asked('told', 'main')).rejects.toMatchObject({
      code: 'NOT_RECORDED',
      message: 'the trace has no event main, and no calls of functions',
      hint: expect.stringContaining('probe_inn:told; calls are recorded with Intel PT'),
    });
  });
});

test('a probe of a function is hit when the function is called', async () => {
  const inputs = () => ['requests', 'waits'].map((name) => inputOf(fixture(`waits/${name}.txt.gz`)));
  const asked = async (...points: string[]) => {
    const { stages } = waitsAnswer(await askWaits(inputs(), { points }, { jobs: 1 }));
    return stages as NonNullable<typeof stages>;
  };
  const calls = await asked('handle_request', 'queue_push', 'await_reply');
  const hits = await asked('probe:handle_request', 'probe:queue_push', 'await_reply');
  expect([hits.complete, hits.incomplete]).toEqual([calls.complete, calls.incomplete]);
  expect(calls.complete).toBe(8);
  hits.rows.forEach(({ durationNs }, row) => {
    expect(Math.abs(durationNs - (calls.rows[row]?.durationNs ?? 0))).toBeLessThan(8 * 20_000);
  });
});

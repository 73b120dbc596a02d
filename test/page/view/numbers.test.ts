/**
 * Tests that the page computes the same numbers as the report.
 */
import { describe, expect, test } from 'vitest';
import { isStop } from '../../../src/analysis/tree/outside.js';
import { analyze, openTraceFile, type Profile } from '../../../src/index.js';
import { START, type State } from '../../../src/page/view/state.js';
import { threadChoices } from '../../../src/page/view/threads.js';
import type { Views } from '../../../src/page/view/views.js';
import { functionRow, reportOf } from '../../../src/questions/report/answer.js';
import type { FunctionRow } from '../../../src/questions/report/schema.js';
import { symbolOf, viewsOf } from '../../helpers/browser/page-views.js';
import { fixturePath } from '../../helpers/cli/run-cli.js';
import { everyNth } from '../../helpers/random/times.js';
import { traceFiles } from '../../helpers/traces/all-fixtures.js';

/** Traces without branches or without their kinds. */
const WITHOUT_BRANCHES = /fields-(?:callindent|default|power-events-default)|sideband-default/;

const sum = (values: Iterable<number>) => [...values].reduce((all, value) => all + value, 0);

/** Returns the numbers as in the report, by name. */
function rowsAt(views: Views, state: Partial<State>): FunctionRow[] {
  const { functions } = views.viewAt({ ...START, ...state });
  return byName([...functions().values()].map((row) => functionRow(row, views.data.symbols)));
}

function byName(rows: readonly FunctionRow[]): FunctionRow[] {
  const key = ({ name, dso }: FunctionRow) => `${name}\n${dso}`;
  return [...rows].sort((a, b) => (key(a) < key(b) ? -1 : 1));
}

async function analyzed(file: string): Promise<Profile> {
  return analyze([await openTraceFile(file)], { durations: true, byCalls: true });
}

describe.each(everyNth(traceFiles, 3).filter((file) => !WITHOUT_BRANCHES.test(file)))('%s', (file) => {
  test('has the numbers of the report, for all threads and for each one', async () => {
    const profile = await analyzed(file);
    const report = reportOf(profile, { threads: true });
    const views = viewsOf(profile);
    expect(rowsAt(views, {})).toEqual(byName(report.functions));
    for (const { tid, totalNs, onCpuNs, outsideNs, functions } of report.threads ?? []) {
      expect(rowsAt(views, { threads: `tid:${tid}` })).toEqual(byName(functions));
      expect(views.threads.find(({ key }) => key === `tid:${tid}`)).toMatchObject({ totalNs, onCpuNs, outsideNs });
    }
  });

  test('adds up over its threads', async () => {
    const views = viewsOf(await analyzed(file));
    const all = views.viewAt(START).functions();
    const apart = views.threads.map(({ key }) => views.viewAt({ ...START, threads: key }).functions());
    for (const [symbol, { selfNs, totalNs, calls, inferred, outsideNs }] of all) {
      const of = (what: 'selfNs' | 'totalNs' | 'calls' | 'inferred' | 'outsideNs') =>
        sum(apart.map((functions) => functions.get(symbol)?.[what] ?? 0));
      expect([of('selfNs'), of('totalNs'), of('calls'), of('inferred'), of('outsideNs')]).toEqual([
        selfNs,
        totalNs,
        calls,
        inferred,
        outsideNs,
      ]);
    }
  });

  test('shows the threads of any choice', async () => {
    const views = viewsOf(await analyzed(file));
    for (const hidesIdle of [false, true])
      for (const choice of threadChoices(views.threads, hidesIdle)) {
        const { tree } = views.viewAt({ ...START, hidesIdle, threads: choice.key });
        const calls = sum(tree.calls.filter((_, node) => !isStop(tree.symbol[node])));
        const totals = { totalNs: sum(tree.selfNs), calls };
        expect(totals, choice.key).toEqual({ totalNs: choice.totalNs, calls: choice.calls });
      }
  });
});

test.each(['demo/threads.perf.txt.gz', 'lab/overflow-and-lost.txt', 'lab/cpp-exception-operators-lambda.txt'])(
  'only inside a function, %s has the numbers of report --root, and below it those of --inside',
  async (name) => {
    const file = fixturePath(name);
    const profile = await analyzed(file);
    const views = viewsOf(profile);
    const numbers = (all: readonly FunctionRow[]) =>
      byName(all)
        .filter(({ totalNs, calls }) => totalNs > 0 || calls > 0)
        .map((row) => [row.name, row.totalNs, row.selfNs, row.calls]);
    const asked = reportOf(profile).functions.filter((row) => !row.isStop && row.selfNs < row.totalNs);
    for (const row of asked.slice(0, 3)) {
      const functions = new RegExp(`^${row.name.replace(/\W/g, '\\$&')}$`);
      const [root, inside] = await Promise.all(
        [{ root: functions }, { inside: [{ functions }] }].map(async (part) =>
          numbers(reportOf(await analyze([await openTraceFile(file)], { durations: true, ...part })).functions),
        ),
      );
      const shown = numbers(rowsAt(views, { focus: symbolOf(views, row.name) }));
      expect(shown, row.name).toEqual(root);
      expect(inside, row.name).toEqual(expect.arrayContaining(shown)); // with callers
    }
    expect(asked.length).toBeGreaterThan(0);
  },
);

test('has a column for unwound calls if there are any', async () => {
  const viewsOfFile = async (name: string) => viewsOf(await analyzed(fixturePath(name)));
  expect((await viewsOfFile('demo/threads.perf.txt.gz')).hasUnwound).toBe(false);
  expect((await viewsOfFile('truth/ptemu-unwind.perf.txt.gz')).hasUnwound).toBe(true);
});

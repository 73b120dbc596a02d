/**
 * Tests that pprof shows what the profile has: every path, call and nanosecond of every fixture.
 */
import { describe, expect } from 'vitest';
import { type FunctionSums, functionsOf } from '../../src/analysis/tree/functions.js';
import { recordsSwitches } from '../../src/analysis/tree/outside.js';
import { treeOfAllThreads } from '../../src/analysis/tree/reshape.js';
import { renderPprof } from '../../src/export/pprof.js';
import type { Profile } from '../../src/index.js';
import { visibleText } from '../../src/render/visible-text.js';
import { pathValuesOf } from '../helpers/checks/path-values.js';
import { rendered } from '../helpers/checks/rendered.js';
import { type Directory, test } from '../helpers/cli/run-cli.js';
import { everyNth } from '../helpers/random/times.js';
import { traceFiles } from '../helpers/traces/all-fixtures.js';
import { analyzeText, fixture } from '../helpers/traces/load.js';
import { strangeTrace } from '../helpers/traces/strange-names.js';
import { needs } from '../tools/needs.js';
import { type Row, readRaw, readTop } from './go-pprof.js';

needs('go');

async function fileOf(profile: Profile, dir: Directory): Promise<string> {
  return dir.write('x.pb.gz', await rendered(renderPprof(profile)));
}

/** Fixtures without call paths, or without times. */
const OTHERS = /fields-(?:callindent|default|power-events-default|timeless)|sideband/;
const TEXTS = everyNth(traceFiles, 2)
  .filter((path) => !OTHERS.test(path))
  .map((path) => path.replace('fixtures/', ''));

describe.concurrent('every path of each thread', () => {
  test.for(TEXTS)('of %s', async (name, { dir }) => {
    const profile = await analyzeText(fixture(name));
    expect(await readRaw(await fileOf(profile, dir))).toEqual(pathValuesOf(profile));
  });

  test('whatever functions are called', async ({ dir }) => {
    const profile = await analyzeText(strangeTrace());
    expect(await readRaw(await fileOf(profile, dir))).toEqual(pathValuesOf(profile));
  });
});

/** For each type of values: what pprof must sum up for a function, by itself and with its callees. */
const SUMS: Readonly<Record<string, (sums: FunctionSums) => Partial<Row>>> = {
  calls: ({ calls }) => ({ flat: calls }),
  wall: ({ selfNs, totalNs }) => ({ flat: selfNs, cum: totalNs }),
  on_cpu: ({ onCpuNs }) => ({ cum: onCpuNs }),
  off_cpu: ({ offCpuNs }) => ({ cum: offCpuNs }),
  outside: ({ outsideNs }) => ({ cum: outsideNs }),
  inferred_calls: ({ inferred }) => ({ flat: inferred }),
};

/** Of functions with a name of their own: pprof adds up others. */
function sumsByName(profile: Profile): [name: string, sums: FunctionSums][] {
  const tree = treeOfAllThreads(profile);
  const rows = functionsOf(tree, null, recordsSwitches(tree, profile.meta.hasSwitches));
  const names = rows.map(({ symbol }) => visibleText(profile.symbols.name[symbol] as string));
  const isAlone = (name: string) => names.indexOf(name) === names.lastIndexOf(name);
  return rows.flatMap((row, at) => (isAlone(names[at] as string) ? [[names[at] as string, row]] : []));
}

describe.concurrent('every function', () => {
  const types = Object.keys(SUMS);
  const fixtures = ['demo/threads.perf.txt.gz', 'truth/ptemu-boostfiber.perf.txt.gz', 'lab/overflow-and-lost.txt'];
  test.for([...fixtures, 'truth/gentrace-nasty.perf.txt.gz'])('of %s', async (name, { dir }) => {
    const profile = await analyzeText(fixture(name));
    const file = await fileOf(profile, dir);
    const tables = await Promise.all(types.map((type) => readTop(file, type)));
    types.forEach((type, at) => {
      const [table, sums] = [tables[at] as ReadonlyMap<string, Row>, SUMS[type] as (typeof SUMS)['calls']];
      for (const [name, row] of sumsByName(profile))
        expect(table.get(name) ?? { flat: 0, cum: 0 }, `${type} of ${name}`).toMatchObject(sums(row));
    });
  });
});

/**
 * Tests that callgrind_annotate shows what the profile has: the calls and times of every function and of every caller.
 */
import { describe, expect } from 'vitest';
import { type FunctionSums, functionsOf } from '../../src/analysis/tree/functions.js';
import { recordsSwitches } from '../../src/analysis/tree/outside.js';
import { treeOfAllThreads } from '../../src/analysis/tree/reshape.js';
import { renderCallgrind } from '../../src/export/callgrind.js';
import type { Profile } from '../../src/index.js';
import { edgesOf, namesOf } from '../helpers/checks/edges.js';
import { rendered } from '../helpers/checks/rendered.js';
import { type Directory, test } from '../helpers/cli/run-cli.js';
import { everyNth } from '../helpers/random/times.js';
import { traceFiles } from '../helpers/traces/all-fixtures.js';
import { analyzeText, fixture } from '../helpers/traces/load.js';
import { strangeTrace } from '../helpers/traces/strange-names.js';
import { traceOf } from '../helpers/traces/trace-of.js';
import { needs } from '../tools/needs.js';
import { annotate } from './callgrind-annotate.js';

needs('callgrind_annotate');

/** Fixtures without call paths, or without times. */
const OTHERS = /fields-(?:callindent|default|power-events-default|timeless)|sideband/;
const TEXTS = everyNth(traceFiles, 2)
  .filter((path) => !OTHERS.test(path))
  .map((path) => path.replace('fixtures/', ''));

function functionsByName(profile: Profile): [name: string, sums: FunctionSums][] {
  const names = namesOf(profile);
  const tree = treeOfAllThreads(profile);
  const rows = functionsOf(tree, null, recordsSwitches(tree, profile.meta.hasSwitches));
  return rows.map((sums) => [names[sums.symbol] as string, sums]);
}

const isFunction = (name: string) => !name.startsWith('thread ');

async function expectAll(profile: Profile, dir: Directory): Promise<void> {
  const file = await dir.write('x.callgrind', await rendered(renderCallgrind(profile)));
  const [own, inclusive] = await Promise.all([annotate(file, false), annotate(file, true)]);
  const functions = functionsByName(profile);
  expect([...inclusive.keys()].filter(isFunction).sort()).toEqual(functions.map(([name]) => name).sort());
  for (const [name, { calls, inferred, selfNs, totalNs, onCpuNs, offCpuNs, outsideNs }] of functions) {
    const [wall, , , , ownCalls, ownInferred] = own.get(name)?.costs ?? [];
    expect([wall, ownCalls, ownInferred], name).toEqual([selfNs, calls, inferred]);
    expect(inclusive.get(name)?.costs.slice(0, 4), name).toEqual([totalNs, onCpuNs, offCpuNs, outsideNs]);
  }
  for (const [edge, { calls, wallNs }] of edgesOf(profile)) {
    const [caller = '', callee = ''] = edge.split('\n');
    const shown = inclusive.get(caller)?.callees.get(callee);
    expect([shown?.calls, shown?.costs[0]], edge).toEqual([Math.max(1, calls), wallNs]);
  }
}

describe.concurrent('every function and call', () => {
  test.for(TEXTS)('of %s', async (name, { dir }) => expectAll(await analyzeText(fixture(name)), dir));

  test('whatever functions are called', async ({ dir }) => expectAll(await analyzeText(strangeTrace()), dir));

  test('of functions that call themselves and each other', async ({ dir }) => {
    const trace = traceOf(`
      10  call    main  a
      20  call    a     a
      25  call    a     b
      31  call    b     a
      38  return  a     b
      46  return  b     a
      55  return  a     a
      65  return  a     main
      76  call    main  b
      88  call    b     a
      91  return  a     b
      95  return  b     main`);
    await expectAll(await analyzeText(trace), dir);
  });

  test('with names that look like lines of the file', async ({ dir }) => {
    const odd = [
      '(1)',
      '(2) main',

      'calls=3 4',
      'fn=(1) y',
      'two\nlines',
      '# no comment',
      '+5 3',
      '*',
      'a: [b] (3x) c',
    ];
    const calls = odd.map((_, at) => `${10 * at + 10} call main f${at}\n${10 * at + 13 + at} return f${at} main`);
    const profile = await analyzeText(traceOf(calls.join('\n')));
    const name = profile.symbols.name.map((own) => odd[Number(/^f(\d)$/.exec(own)?.[1] ?? -1)] ?? own);
    await expectAll({ ...profile, symbols: { ...profile.symbols, name } }, dir);
  });
});

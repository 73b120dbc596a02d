/**
 * Tests that programs that read folded stacks receive every path, name and nanosecond.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { FoldedOptions } from '../../src/index.js';
import { readByFlamegraphPl, readBySpeedscope, type Stacks } from '../helpers/checks/files/folded-readers.js';
import { Speedscope } from '../helpers/checks/files/speedscope.js';
import { analyzeText, fixture, fold } from '../helpers/traces/load.js';
import { isMissing } from '../tools/needs.js';

/** Names as perf prints them. */
const NAMES = [
  'operator new',
  'shop::Store<std::pair<int, char const*> >::operator bool',
  'main::{lambda(int)#1}::operator()',
  'operator<=>',
  'lambda => 7f00 bar',
  'a;b',
  `it's "quoted" \\ 'twice'`,
  '</script><script>alert(1)</script>',
  '&lt;&amp;',
  '100% $(reboot) `id`',
  '# no comment',
  'größe::字::\u{1f525}',
  '42',
  'two\tcolumns\x1b[31m',
];
const DEMO = 'demo/threads.perf.txt.gz';

/** Calls each name once, the first for 1 ns, the second for 2 ns, and so on. */
function traceOfNames(): string {
  let ns = 100;
  const lines = NAMES.flatMap((name, index) => {
    const address = (0x5000 + 64 * index).toString(16);
    const call = `7 [000] 1.${String(ns).padStart(9, '0')}:   call   1000 main+0x0 => ${address} ${name}+0x0\n`;
    ns += index + 1;
    return [call, `7 [000] 1.${String(ns).padStart(9, '0')}:   return   ${address} ${name}+0x0 => 1005 main+0x5\n`];
  });
  return lines.join('');
}

/** The names that ptflame writes: ";" becomes ":", control characters become spaces. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is replaced
const shown = (name: string) => name.replaceAll(';', ':').replace(/[\x00-\x1f]/g, ' ');

/** Parses by the rules of the format: the last space separates path and count, ";" separates frames, counts are integers. */
function stacksByRules(folded: string): Stacks {
  const rows = folded.split('\n').map((line) => /^(.+) (\d+)$/.exec(line));
  const stacks = rows.flatMap((row) => (row && row[2] !== '0' ? [[row[1], Number(row[2])] as const] : []));
  return new Map(stacks);
}

const sum = (values: Iterable<number>) => [...values].reduce((total, value) => total + value, 0);

const inSpeedscope = test.skipIf(isMissing('Chromium'));
const inFlamegraphPl = test.skipIf(isMissing('flamegraph.pl'));

let directory: string;
let speedscope: Speedscope;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'ptflame-test-'));
  if (!isMissing('Chromium')) speedscope = await Speedscope.start(directory);
}, 30_000);
afterAll(async () => {
  await speedscope?.stop();
  await rm(directory, { recursive: true, force: true });
});

inSpeedscope('speedscope shows every name as text, with its nanoseconds', { timeout: 30_000 }, async () => {
  const { stacks, total } = await readBySpeedscope(speedscope, fold(await analyzeText(traceOfNames())));
  const wanted = NAMES.map((name, index) => [`main;${shown(name)}`, index + 1] as const);
  expect(new Map([...stacks].sort())).toEqual(new Map([...wanted].sort()));
  expect(total).toBe((NAMES.length * (NAMES.length + 1)) / 2);
});

inFlamegraphPl('flamegraph.pl draws every name as text, with its nanoseconds', async () => {
  const { frames, stderr } = await readByFlamegraphPl(fold(await analyzeText(traceOfNames())));
  expect(stderr).toBe('');
  expect(frames.get('all')).toBe((NAMES.length * (NAMES.length + 1)) / 2);
  // it draws "<" and ">" as parentheses
  NAMES.forEach((name, index) => {
    expect(frames.get(shown(name).replaceAll('<', '(').replaceAll('>', ')')), name).toBe(index + 1);
  });
});

const WAYS: readonly FoldedOptions[] = [{}, { annotate: true }, { by: 'thread' }, { by: 'process', annotate: true }];

inSpeedscope.for(WAYS)('all paths of the demo are in speedscope, with %o', { timeout: 30_000 }, async (options) => {
  const folded = fold(await analyzeText(fixture(DEMO)), options);
  const wanted = stacksByRules(folded);
  const { stacks, total } = await readBySpeedscope(speedscope, folded);
  expect(new Map([...stacks].sort())).toEqual(new Map([...wanted].sort()));
  expect(total).toBe(sum(wanted.values()));
});

inFlamegraphPl.for(WAYS)('the whole demo is in the picture of flamegraph.pl, with %o', async (options) => {
  const folded = fold(await analyzeText(fixture(DEMO)), options);
  const { frames, stderr } = await readByFlamegraphPl(folded);
  expect(stderr).toBe('');
  expect(frames.get('all')).toBe(sum(stacksByRules(folded).values()));
});

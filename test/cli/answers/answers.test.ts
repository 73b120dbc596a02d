/**
 * Tables of incomplete data: unseen starts, equal names, missing switch records.
 */
import { expect, test } from 'vitest';
import { diffLines } from '../../../cli/commands/diff.js';
import { stacksLines } from '../../../cli/commands/stacks.js';
import { Diff, diffOf, Stacks, stacksAnswer } from '../../../src/answers.js';
import { askStacks, type Profile } from '../../../src/index.js';
import { analyzeText, inputOf } from '../../helpers/traces/load.js';
import { traceOf } from '../../helpers/traces/trace-of.js';

const TRACE = traceOf(`
  10  call             main  a
  40  call             a     b
  60  tr end  syscall  b
  90  tr strt                b
  95  return           b     a
  99  return           a     main`);

async function stacksOf(text: string, atNs: number): Promise<Stacks> {
  const {
    profile,
    stacks,
    atNs: foundNs,
  } = await askStacks([inputOf(text)], { afterStartNs: atNs }, { extend: false });
  return Stacks.parse(stacksAnswer(profile, foundNs, stacks));
}

test('shows a lower bound for a frame whose start was not seen', async () => {
  const lines = stacksLines(await stacksOf(TRACE, 60), 80);
  expect(lines.slice(-4).map((line) => line.trim())).toEqual([
    '10 ns  [syscall]',
    '30 ns  b',
    '60 ns  a',
    '≥ 60 ns  main',
  ]);
});

test('keeps stacks of equal names in two binaries apart', async () => {
  const inFile = (tid: number) =>
    TRACE.replaceAll(/^1 /gm, `${tid} `).replaceAll(/\b(main|a|b)\+(0x\w+)/g, `$1+$2 (/lib/${tid}.so)`);
  const lines = stacksLines(await stacksOf(inFile(1) + inFile(2), 40), 80);
  expect(lines.filter((line) => line.endsWith('thread: 1') || line.endsWith('thread: 2'))).toHaveLength(2);
  expect(lines.map((line) => line.trim())).toContain('≥ 40 ns  main (2.so)');
});

test('a comparison shows the quality of both traces and how to record on-CPU time', async () => {
  const before = await analyzeText(TRACE);
  const recorded = { host: null, kernel: null, cpu: null, perf: null, command: null, startedAt: null };
  const after: Profile = { ...before, meta: { ...before.meta, recorded } };
  const diff = Diff.parse(diffOf(before, after));
  expect(diff.quality.before.totalNs).toBe(before.quality.totalNs);
  const bound = 'without switch records, traced time is a lower bound of on-CPU time';
  expect(diffLines(diff, { width: 80, top: 0, isQuiet: false }).slice(0, 2)).toEqual([
    expect.stringContaining(`${bound}: decode with --show-switch-events`),
    expect.stringContaining(`${bound}: record with --switch-events`),
  ]);
});

test('infers switch records of an older profile from its waits, without a remedy', async () => {
  const profile = await analyzeText(TRACE);
  const old: Profile = { ...profile, meta: { ...profile.meta, hasSwitches: null } };
  const { before } = diffOf(old, old);
  expect(before.hasSwitches).toBe(false);
  expect(diffLines(diffOf(old, old), { width: 80, top: 0, isQuiet: false })[0]).toMatch(/lower bound of on-CPU time$/);
});

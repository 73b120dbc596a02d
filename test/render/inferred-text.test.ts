/**
 * What is said about inferred time: how much, why, and what helps; never what does not.
 */
import { describe, expect, test } from 'vitest';
import { type Profile, qualitySummary } from '../../src/index.js';
import { DOUBT_NAMES, doubtAdvice } from '../../src/model/calls/doubts.js';
import type { Quality } from '../../src/model/profile/profile.js';
import { renderJson } from '../../src/profile-file/write.js';
import { findingsOfProfile } from '../../src/render/findings.js';
import { trustOf } from '../../src/render/quality-summary.js';
import { analyzeText, fixture } from '../helpers/traces/load.js';

async function saidOf(name: string, change: (profile: Profile) => Profile = (profile) => profile): Promise<string[]> {
  const profile = change(await analyzeText(fixture(`accuracy/${name}.txt.gz`)));
  const { warnings, notes } = qualitySummary(profile);
  const said = [...warnings.map((text) => `warning: ${text}`), ...notes.map((text) => `note: ${text}`)];
  return said.filter((text) => text.includes('inferred'));
}

test.each([
  ['tasks', 'note: 4.93 % of the time is inferred: mostly around hidden jumps (--itrace=be shows them)'],
  ['ocaml', 'warning: 22 % of the time is inferred: mostly after returns that nothing explains'],
  [
    'bco2',
    'warning: 63.5 % of the time is inferred: 51.1 % where stacks switch, or on one of several that fit; 10.8 % where an exception or a longjmp may have landed elsewhere',
  ],
  [
    'pcre-jit-ovf-branches',
    'warning: 36.2 % of the time is inferred: after losses, until a return confirms the stack (nothing helps if a JIT compiler generated the lost code and wrote no jitdump)',
  ],
  [
    'coro4-ovf',
    expect.stringMatching(
      /^warning: [\d.]+ % of the time is inferred: .*after losses, until a return confirms the stack(?! \()/,
    ),
  ],
])('%s', async (name, text) => {
  expect(await saidOf(name)).toEqual([text]);
});

test.each<[Partial<Quality>, string, boolean, string]>([
  [{ lostNs: 30, inferredNs: 30 }, 'Nothing lost', true, 'more than a hundredth is lost'],
  [{ lostNs: 1, inferredNs: 1 }, 'Nothing lost', false, 'lost time is no inferred time'],
  [{ inferredNs: 15, hiddenNs: 4 }, 'Nothing lost', false, 'less than a fifth'],
  [{ inferredNs: 15, hiddenNs: 6 }, 'Nothing lost', true, 'with hidden jumps more than a fifth'],
])('the chip of a page doubts %o: %s %s, %s', async (times, text, isDoubtful) => {
  const profile = await analyzeText(fixture('accuracy/memcached.txt.gz'));
  const clean = { ...profile.quality, losses: [], inferredNs: 0, hiddenNs: 0, lostNs: 0, totalNs: 100 };
  const trust = trustOf({ ...profile, quality: { ...clean, ...times } });
  expect([trust.text.startsWith(text), trust.isDoubtful]).toEqual([true, isDoubtful]);
});

test.each(['pcre-jit-ovf', 'thr-ovf', 'steal-ovf'])('%s: lost time is not inferred a second time', async (name) => {
  const profile = await analyzeText(fixture(`accuracy/${name}.txt.gz`));
  const { inferredNs, lostNs, hiddenNs, totalNs } = profile.quality;
  const ns = inferredNs - lostNs + hiddenNs;
  const found = findingsOfProfile(profile, null).filter(({ kind }) => kind === 'inferred');
  expect(found).toEqual(ns > 0.2 * totalNs ? [{ kind: 'inferred', ns, allNs: totalNs }] : []);
  expect(lostNs).toBeGreaterThan(0);
});

test('little inferred time is not worth a note', async () => {
  expect(await saidOf('memcached')).toEqual([]);
});

describe('advice', () => {
  const context = { isRecorded: true, showsJumps: false, lacksGeneratedCode: false };

  test('jumps that are hidden can be shown, in the words of the input', () => {
    expect(doubtAdvice('HiddenJump', context)).toBe('--precise shows them');
    expect(doubtAdvice('HiddenJump', { ...context, isRecorded: false })).toBe('--itrace=be shows them');
  });

  test('nobody is sent to --precise where the jumps were decoded, or for another reason', () => {
    for (const doubt of DOUBT_NAMES)
      for (const lacksGeneratedCode of [false, true]) {
        const advice = doubtAdvice(doubt, { ...context, showsJumps: true, lacksGeneratedCode });
        expect(advice ?? '', doubt).not.toMatch(/precise|itrace/);
        if (doubt !== 'HiddenJump')
          expect(doubtAdvice(doubt, { ...context, lacksGeneratedCode }) ?? '', doubt).not.toMatch(/precise|itrace/);
      }
  });

  test('a trace knows whether it shows jumps', async () => {
    expect((await analyzeText(fixture('accuracy/coro1-branches.txt.gz'))).meta.showsJumps).toBe(true);
    expect((await analyzeText(fixture('accuracy/coro1.txt.gz'))).meta.showsJumps).toBeUndefined();
  });
});

test('a profile of an earlier version says how much is inferred, not why', async () => {
  const text = [...renderJson(await analyzeText(fixture('accuracy/java-c1.txt.gz')))].join('');
  const old = JSON.parse(text) as { quality: object; threads: { tree: object }[] };
  Reflect.deleteProperty(old.quality, 'inferredBy');
  for (const { tree } of old.threads) expect(Reflect.deleteProperty(tree, 'doubts')).toBe(true);
  const { parseProfile } = await import('../../src/profile-file/read.js');
  const profile = parseProfile(Buffer.from(JSON.stringify(old)), 'old.json');
  expect(profile.threads[0]?.tree.doubts).toBeUndefined();
  expect(qualitySummary(profile).warnings).toEqual(['34.4 % of the time is lost', '62.8 % of the time is inferred']);
});

test('the reasons of a whole recording are not said of a part of it', async () => {
  const half = ({ quality, ...profile }: Profile) => {
    return { ...profile, quality: { ...quality, inferredNs: quality.inferredNs / 2, hiddenNs: 0 } };
  };
  expect(await saidOf('ocaml', half)).toEqual(['warning: 10.6 % of the time is inferred']);
});

/**
 * Tests the words of findings.
 */
import { expect, test } from 'vitest';
import type { Finding } from '../../src/analysis/findings/findings.js';
import type { LossKind } from '../../src/model/profile/profile.js';
import { findingText, sentenceOf } from '../../src/render/findings.js';

const NAMES = ['crunch', 'memcpy', '-- waits for teller', '-- waits for [interrupt]', '-- still waiting'];
const CONTEXT = {
  meta: { recorded: null },
  quality: { hiddenNs: 0, totalNs: 100, losses: [] },
  nameOf: (symbol: number) => NAMES[symbol] as string,
};
const text = (finding: Finding, context: object = {}) => findingText(finding, { ...CONTEXT, ...context });

const OVERFLOW: LossKind = {
  ...{ cause: 'decode-error', code: 7, message: 'Overflow packet', file: null },
  ...{ gaps: 3, lostNs: 12 },
};
const LARGEST = { symbol: 0, calls: 1, inferred: 0, ns: 1e8 };
const OWN = { symbol: 0, selfNs: 60, calls: 1200, inferred: 3 };

test('lost time has its largest cause, and the remedy', () => {
  const lost = { kind: 'lost', ns: 12, allNs: 100, isOfRunning: false, cause: OVERFLOW } as const;
  expect(text(lost, { quality: { ...CONTEXT.quality, losses: [OVERFLOW] } })).toBe(
    '12 % of the time is lost. Largest cause: Overflow packet (code 7); record less per CPU: no cyc, a filter, or a larger cyc_thresh.',
  );
  expect(text({ ...lost, isOfRunning: true, cause: null })).toBe('12 % of the time that could be traced is lost.');
});

test('inferred time has the remedy if hidden jumps are the reason', () => {
  const inferred = { kind: 'inferred', ns: 30, allNs: 100 } as const;
  expect(text(inferred)).toBe('30 % of the time is on inferred call paths.');
  expect(text(inferred, { quality: { ...CONTEXT.quality, hiddenNs: 20 } })).toBe(
    '30 % of the time is on inferred call paths, in part around hidden jumps: --itrace=be shows them.',
  );
});

test('waiting has its reasons; shares are lower bounds if more is not known', () => {
  const reasons = [
    { reason: 'join', ns: 30 },
    { reason: 'network read', ns: 10 },
  ];
  const waiting = { kind: 'waiting', ns: 71, allNs: 100, reasons, isAtLeast: false, hasPureWaits: true } as const;
  expect(text(waiting)).toBe('71 % of the time is waiting: joins 30 %, network read 10 %.');
  expect(text({ ...waiting, isAtLeast: true })).toBe('71 % of the time is waiting: joins ≥ 30 %, network read ≥ 10 %.');
});

test('pure waits are called so only if the CPU was free', () => {
  const pure = { kind: 'pure-waits', ns: 99, allNs: 100, paths: 1, largest: LARGEST, isOffCpu: true } as const;
  expect(text(pure)).toBe('99 % of the time is one call path that did nothing but wait: crunch (1 call, 100 ms).');
  expect(text({ ...pure, isOffCpu: false })).toBe(
    '99 % of the time is one call path outside traced code: crunch (1 call, 100 ms).',
  );
  expect(text({ ...pure, paths: 34, largest: { ...LARGEST, calls: 5, inferred: 1 } })).toBe(
    '99 % of the time is 34 call paths that did nothing but wait, the largest in crunch (4 of 5 calls complete, 100 ms).',
  );
});

test('hidden waits leave the rest', () => {
  const hidden = { kind: 'hidden-waits', ns: 442e6, restNs: 184e6, most: { ...OWN, selfNs: 103e6 } } as const;
  expect(text(hidden)).toBe(
    '442 ms of pure waiting is hidden; shown is the other 184 ms, most in crunch (self 103 ms, 56 %).',
  );
  expect(text({ ...hidden, restNs: 0, most: null })).toBe('442 ms of pure waiting is hidden; shown is the other 0 ns.');
});

test('running has the two functions with most time of their own', () => {
  const running = {
    kind: 'running',
    ns: 100,
    isOnCpu: true,
    first: OWN,
    second: { ...OWN, symbol: 1, selfNs: 9 },
  } as const;
  expect(text(running)).toBe('Of the 100 ns on the CPU, 60 % is crunch itself (1,200 calls), then memcpy 9 %.');
  expect(text({ ...running, isOnCpu: false, first: { ...OWN, calls: 0 }, second: null })).toBe(
    'Of the 100 ns in traced code, 60 % is crunch itself.',
  );
});

test('blocked time has those that were waited for', () => {
  const waitedFor = [3, 2, 4].map((symbol, at) => ({ symbol, ns: 30 - 10 * at }));
  expect(text({ kind: 'blocked', ns: 100, waitedFor })).toBe(
    '100 ns of blocked time: waits for a timer or device 30 %, waits for teller 20 %, still waiting 10 %.',
  );
});

test('merged recordings have the group with most time', () => {
  const merged = { recordings: 4, by: 'comm' } as const;
  const finding = {
    kind: 'merged',
    ...merged,
    allNs: 100,
    largest: { name: 'mariadbd', ns: 60 },
    pureWaitsNs: 40,
  } as const;
  expect(text(finding, { meta: { recorded: null, merged } })).toBe(
    '4 recordings have 100 ns of thread time; of each command name, mariadbd has most: 60 %. Pure waits are 40 % of all.',
  );
});

test('numbers and names are parts of their own', () => {
  const parts = sentenceOf({ kind: 'hidden-waits', ns: 10, restNs: 5, most: { ...OWN, selfNs: 4 } }, CONTEXT);
  expect(parts.filter(({ kind }) => kind !== 'text')).toEqual([
    { kind: 'number', text: '10 ns' },
    { kind: 'number', text: '5 ns' },
    { kind: 'name', text: 'crunch', symbol: OWN.symbol },
  ]);
});

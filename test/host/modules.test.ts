import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import * as browser from '../../src/host/browser/digest.js';
import { matchesInTime, nextTurn } from '../../src/host/browser/turns.js';
import * as node from '../../src/host/digest.js';
import * as nodeTurns from '../../src/host/turns.js';

const HOST = new URL('../../src/host/', import.meta.url);

test.each(readdirSync(new URL('browser/', HOST)))('%s exports for browsers what it exports for Node', async (name) => {
  const module = name.replace(/\.ts$/, '.js');
  const [one, other] = await Promise.all([
    import(`../../src/host/browser/${module}`),
    import(`../../src/host/${module}`),
  ]);
  expect(Object.keys(one).sort()).toEqual(Object.keys(other).sort());
});

test('hashes are the same', () => {
  for (const text of ['', 'ä€😀', 'a'.repeat(100_000)]) expect(browser.sha256(text)).toBe(node.sha256(text));
});

test('matches are the same, and end when they take too long', () => {
  const texts = ['main thread', 'io-7', ''];
  const found = (matches: ReturnType<typeof matchesInTime>) => matches?.map((match) => match && [...match]);
  expect(found(matchesInTime(/(\d)|m/, texts, 1000))).toEqual(found(nodeTurns.matchesInTime(/(\d)|m/, texts, 1000)));
  expect(matchesInTime(/a/, texts, -1)).toBeNull();
  expect(nodeTurns.matchesInTime(/^(a*)*$/, [`${'a'.repeat(40)}b`], 20)).toBeNull();
});

test('a turn lets others run', async () => {
  const order: string[] = [];
  await Promise.all([nextTurn().then(() => order.push('after')), Promise.resolve().then(() => order.push('before'))]);
  expect(order).toEqual(['before', 'after']);
});

/**
 * Runs a short part of `npm run fuzz`, always the same cases.
 */
import { describe, expect } from 'vitest';
import { countLines } from '../../fuzz/checks/check-parser.js';
import { damagedRecordings } from '../../fuzz/damaged/damaged-recordings.js';
import { faults } from '../../fuzz/faults/faults.js';
import { SCENARIOS } from '../../fuzz/faults/scenarios.js';
import { type KindName, kindOf } from '../../fuzz/kinds.js';
import { failureReason, minimised } from '../../fuzz/minimise.js';
import { type FuzzCase, makeCase } from '../../fuzz/text/cases.js';
import { checkCase } from '../../fuzz/text/check.js';
import { Corpus } from '../../fuzz/text/corpus.js';
import { test } from '../helpers/cli/run-cli.js';

const SEED = 1;
const LINES = 3000;
const corpus = new Corpus(new URL('../../fixtures/', import.meta.url));

test('survives hostile traces, and sums stay right', { timeout: 120_000 }, async () => {
  let lines = 0;
  for (let number = 0; lines < LINES; number++) {
    const fuzzCase = makeCase(SEED, number, corpus);
    await expect(checkCase(fuzzCase), `npm run fuzz -- --seed ${SEED} --case ${number}`).resolves.toBeDefined();
    lines += Math.max(1, countLines(fuzzCase.bytes));
  }
});

test('makes the same case each time, and a different one for another number or seed', () => {
  const [first, again, next] = [makeCase(SEED, 7, corpus), makeCase(SEED, 7, corpus), makeCase(SEED, 8, corpus)];
  expect(again).toEqual(first);
  expect(next.bytes).not.toEqual(first.bytes);
  expect(makeCase(SEED + 1, 7, corpus).bytes).not.toEqual(first.bytes);
});

test('minimises a failing case', async () => {
  const harmless = '7 [000] 1.000000001:   call   1000 main+0x0 => 2000 f+0x0\n'.repeat(30);
  const failing: FuzzCase = { ...makeCase(SEED, 7, corpus), bytes: Buffer.from(harmless) };
  const isLong = ({ bytes }: FuzzCase) => (bytes.includes('main') ? 'too long' : null);
  expect(await failureReason(failing, checkCase)).toBeNull();
  expect((await minimised(failing, async (smaller) => isLong(smaller))).toString()).toBe('main');
});

describe('hostile files', () => {
  const CASES: Readonly<Partial<Record<KindName, number>>> = {
    recordings: 40,
    'trace-files': 20,
    packs: 20,
    profiles: 40,
  };

  for (const [name, cases] of Object.entries(CASES))
    test(`${name}: are rejected or read`, async ({ dir }) => {
      const kind = kindOf(name as KindName, SEED, dir.path);
      for (let number = 0; number < cases; number++) {
        const fuzzCase = await kind.make(number);
        const again = `npm run fuzz -- --kind ${name} --seed ${SEED} --case ${number}`;
        await expect(kind.check(fuzzCase), again).resolves.toBeDefined();
      }
    });
});

test('damaged recordings: the same in parts and in whole, and losses are counted', async ({ dir }) => {
  const fixtures = new URL('../../fixtures/recordings/', import.meta.url);
  const kind = damagedRecordings(SEED, dir.path, fixtures);
  for (let number = 0; number < 20; number++) {
    const fuzzCase = await kind.make(number);
    const again = `npm run fuzz -- --kind damaged-recordings --seed ${SEED} --case ${number}`;
    await expect(kind.check(fuzzCase), again).resolves.toBeDefined();
  }
});

test('gives the right output or one message if a request to the system fails', async ({ dir }) => {
  const kind = faults(
    SEED,
    dir.path,
    SCENARIOS.filter(({ input }) => input === 'text'),
  );
  for (let number = 0; number < 2; number++) {
    const fuzzCase = await kind.make(number);
    await expect(kind.check(fuzzCase), fuzzCase.steps.join()).resolves.toBeDefined();
  }
});

/**
 * How right call trees are: no program of fixtures/accuracy may have less time on the right path, or more on a wrong one
 * without a mark, than figures.json says. `npm run accuracy -- fixtures/accuracy --json fixtures/accuracy/figures.json`
 * writes it; commit it when figures get better.
 */
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { readTruth, recordingsIn } from '../../scripts/accuracy-cases.mjs';
import { renderJson } from '../../src/index.js';
import { analyzeText, fixture } from '../helpers/traces/load.js';

interface Figures {
  readonly right: number;
  readonly unmarked: number;
}
interface Row {
  readonly name: string;
  readonly input: string;
  readonly stack: Figures;
  readonly nested: Figures;
}

/** In percent. */
const TOLERANCE = 0.3;

const FOLDER = new URL('../../fixtures/accuracy', import.meta.url).pathname;
const recordings = recordingsIn(FOLDER) as { name: string; input: string; file: string }[];
const figures = JSON.parse(fixture('accuracy/figures.json').toString()) as Row[];

test('all recordings have figures', () => {
  const keys = (rows: readonly { name: string; input: string }[]) => rows.map(({ name, input }) => `${name}, ${input}`);
  expect(keys(recordings)).toEqual(keys(figures));
});

describe.each(recordings)('$name, $input', (recording) => {
  const known = figures.find(({ name, input }) => name === recording.name && input === recording.input) as Row;

  test.each([
    ['stack', 'replace'],
    ['nested', 'nest'],
  ] as const)('%s', async (tree, tailCalls) => {
    const profile = await analyzeText(gunzipSync(readFileSync(recording.file)), { extend: false, tailCalls });
    const reached = readTruth(recording)(JSON.parse([...renderJson(profile)].join('')), tree) as Figures;
    expect(reached.right).toBeGreaterThan(known[tree].right - TOLERANCE);
    expect(reached.unmarked).toBeLessThan(known[tree].unmarked + TOLERANCE);
  });
});

/**
 * Checks that the traces of the benchmark are as their recipes claim.
 */
import { describe, expect, test } from 'vitest';
import { type Generated, generate, type Recipe } from '../../bench/generator/generate.js';
import { KINDS, type Kind } from '../../bench/generator/kinds.js';
import { analyzeText, fold } from '../helpers/traces/load.js';

const kinds = Object.keys(KINDS) as Kind[];

const SIZE_BYTES = 2e5;

describe.each(kinds)('%s', (kind) => {
  const recipe: Recipe = { ...KINDS[kind], sizeBytes: SIZE_BYTES };
  const { text, lines, bytes, folded } = generated(recipe);

  test('gives the same bytes for the same seed, others for another seed', () => {
    const again = generated(recipe);
    expect(again.text.equals(text)).toBe(true);
    expect(again.folded).toBe(folded);
    expect(generated({ ...recipe, seed: recipe.seed + 100 }).text.equals(text)).toBe(false);
  });

  test('has the reported size, and is ordered by time', () => {
    const rows = text.toString('latin1').trimEnd().split('\n');
    expect(rows).toHaveLength(lines);
    expect(text).toHaveLength(bytes);
    expect(bytes).toBeGreaterThanOrEqual(SIZE_BYTES);
    const times = rows.map((row) => row.slice(13, row.indexOf(':')));
    expect(times).toEqual([...times].sort());
  });

  test('is read to the last path and nanosecond', async () => {
    const profile = await analyzeText(text);
    expect(profile.quality).toMatchObject({ lines, events: lines, lostNs: 0 });
    expect(fold(profile)).toBe(folded);
  });
});

describe('calls', () => {
  test.each([
    ['ordinary', 10_000, 20_000],
    ['many-path', 40_000, 320_000],
  ] as const)('%s: between %d and %d paths in a hundred megabytes', (kind, min, max) => {
    let paths = 0;
    generate({ ...KINDS[kind], sizeBytes: 1e8 }, () => {}).fold(() => paths++);
    expect(paths).toBeGreaterThan(min);
    expect(paths).toBeLessThan(max);
  });
});

function generated(recipe: Recipe): Generated & { text: Buffer; folded: string } {
  const pieces: Uint8Array[] = [];
  const made = generate(recipe, (bytes) => pieces.push(Buffer.from(bytes)));
  let folded = '';
  made.fold((line) => {
    folded += line;
  });
  return { ...made, text: Buffer.concat(pieces), folded };
}

/**
 * The traces of the benchmark are what they claim to be.
 */
import { describe, expect, test } from 'vitest';
import { type Generated, generate, type Recipe } from '../../bench/generator/generate.js';
import { KINDS, type Kind } from '../../bench/generator/kinds.js';
import { analyzeText, fold } from '../helpers/traces/load.js';

const kinds = Object.keys(KINDS) as Kind[];

describe.each(kinds)('%s, half a megabyte', (kind) => {
  const recipe: Recipe = { ...KINDS[kind], sizeBytes: 5e5 };
  const { text, lines, bytes, folded } = generated(recipe);

  test('the same seed gives the same bytes, another seed others', () => {
    const again = generated(recipe);
    expect(again.text.equals(text)).toBe(true);
    expect(again.folded).toBe(folded);
    expect(generated({ ...recipe, seed: recipe.seed + 100 }).text.equals(text)).toBe(false);
  });

  test('it is as large as it says, and ordered by time', () => {
    const rows = text.toString('latin1').trimEnd().split('\n');
    expect(rows).toHaveLength(lines);
    expect(text).toHaveLength(bytes);
    expect(bytes).toBeGreaterThanOrEqual(5e5);
    const times = rows.map((row) => row.slice(13, row.indexOf(':')));
    expect(times).toEqual([...times].sort());
  });

  test('ptflame finds every path and every nanosecond', async () => {
    const profile = await analyzeText(text);
    expect(profile.quality).toMatchObject({ lines, events: lines, lostNs: 0 });
    expect(fold(profile)).toBe(folded);
  });
});

describe('calls', () => {
  test.each([
    ['ordinary', 10_000, 20_000],
    ['many-path', 40_000, 320_000],
  ] as const)('%s: between %d and %d paths in a hundred megabytes', (kind, least, most) => {
    let paths = 0;
    generate({ ...KINDS[kind], sizeBytes: 1e8 }, () => {}).fold(() => paths++);
    expect(paths).toBeGreaterThan(least);
    expect(paths).toBeLessThan(most);
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

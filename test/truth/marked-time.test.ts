/**
 * Checks how much time is marked as inferred, and how much of the unmarked time is wrong.
 *
 * `MARKED_TIME=DIR npx vitest run test/truth/marked-time.test.ts` prints a table of all recordings in a folder:
 * NAME.perf.txt.gz, decoded with --itrace=cre, NAME-branches.perf.txt.gz, with --itrace=be, and NAME.tree.jsonl.gz, the
 * truth; as in fixtures/truth.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { analyzeText } from '../helpers/traces/load.js';
import { ptemuTruth } from '../helpers/truth/fidelity.js';
import { type MarkedTime, markedTime } from '../helpers/truth/marked-time.js';

const FIXTURES = new URL('../../fixtures/truth', import.meta.url).pathname;

async function measure(folder: string, name: string, suffix: '' | '-branches'): Promise<MarkedTime> {
  const read = (file: string) => gunzipSync(readFileSync(`${folder}/${file}`));
  const profile = await analyzeText(read(`${name}${suffix}.perf.txt.gz`), { extend: false, tailCalls: 'replace' });
  return markedTime(ptemuTruth(read(`${name}.tree.jsonl.gz`).toString(), 'stack'), profile);
}

describe('limits the share that is marked, and the wrong share of the rest (percent)', () => {
  test.each([
    ['rec', '', 9.5, 0.2],
    ['libc', '', 2.1, 1.5],
    ['threads4', '', 0.1, 0.1],
    ['threadsirq', '', 0.1, 0.1],
    ['loop', '', 0.6, 0.2],
    ['cpp', '', 1, 1.6],
    ['jumps', '', 24.6, 1.1],
    ['sig', '', 2.2, 0.4],
    ['sig-exec', '', 1.4, 0.3],
    ['rec-mix', '', 13.7, 0.2],
    ['threads-faults', '', 5.1, 0.1],
    ['unwind', '', 0.7, 0.9],
    ['unwind', '-branches', 0.1, 0.9],
    ['ev-cut', '', 66, 0.6],
    ['ev-cut', '-branches', 0.1, 0.8],
    ['cold', '', 0.3, 2.3],
    ['stripped', '', 0.9, 0.9],
    ['stripped', '-branches', 0.1, 0.8],
  ] as const)('%s%s: %d, %d', async (name, suffix, mostMarked, mostWrong) => {
    const { marked, wrongOfUnmarked } = await measure(FIXTURES, `ptemu-${name}`, suffix);
    expect(marked).toBeLessThanOrEqual(mostMarked);
    expect(wrongOfUnmarked).toBeLessThanOrEqual(mostWrong);
  });

  test('marks wrong time: recursion through nameless code, in which the trace ends, looks like unwinding', async () => {
    const { marked } = await measure(FIXTURES, 'ptemu-ev-cut', '');
    expect(marked).toBeGreaterThan(50);
  });
});

test.runIf(process.env.MARKED_TIME)('prints a table of the recordings in a folder', { timeout: 600_000 }, async () => {
  const folder = process.env.MARKED_TIME as string;
  const names = readdirSync(folder).flatMap((file) => /^(.*)\.tree\.jsonl\.gz$/.exec(file)?.[1] ?? []);
  const lines = ['| recording | marked | wrong of it | wrong of the rest |', '| --- | --- | --- | --- |'];
  for (const name of names)
    for (const suffix of ['', '-branches'] as const) {
      if (!existsSync(`${folder}/${name}${suffix}.perf.txt.gz`)) continue;
      const { marked, wrongOfMarked, wrongOfUnmarked } = await measure(folder, name, suffix);
      const cells = [marked.toFixed(1), wrongOfMarked.toFixed(0), wrongOfUnmarked.toFixed(2)].map(
        (cell) => `${cell} %`,
      );
      lines.push(`| ${[`${name}${suffix}`, ...cells].join(' | ')} |`);
    }
  process.stdout.write(`${lines.join('\n')}\n`);
  expect(lines.length).toBeGreaterThan(2);
});

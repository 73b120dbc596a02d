/**
 * Compares two ways to the same answer on traces of all kinds.
 */
import { readdirSync } from 'node:fs';
import { test } from 'vitest';
import { makeCase } from '../../../fuzz/text/cases.js';
import { Corpus } from '../../../fuzz/text/corpus.js';
import { everyNth } from '../random/times.js';
import { beginningOf } from '../traces/load.js';

const FOLDERS = ['hardware', 'lab', 'constructed', 'truth', 'demo'];

interface HostileSeries {
  readonly seed: number;
  readonly cases: number;
}

/**
 * Tests with the beginnings of every third fixture, from the `first` one on, and with hostile traces. `lines`: of a beginning.
 * `number`: of the trace, among those of its test.
 */
export function testOnAllTraces(
  { seed, cases, first, lines }: HostileSeries & { readonly first: 0 | 1; readonly lines?: number },
  compare: (text: Uint8Array, name: string, number: number) => Promise<void>,
): void {
  test.each(FOLDERS)('of fixtures of %s', async (folder) => {
    const files = readdirSync(['fixtures', folder].join('/')).filter((name) => /\.txt(?:\.gz)?$/.test(name));
    for (const [n, file] of everyNth(files, 3, first).entries())
      await compare(beginningOf([folder, file].join('/'), lines), file, n);
  });

  test('of hostile traces', async () => {
    const corpus = new Corpus(new URL('../../../fixtures/', import.meta.url));
    for (let n = 0; n < cases; n++) await compare(makeCase(seed, n, corpus).bytes, String(n), n);
  });
}

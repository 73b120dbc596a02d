/**
 * Compares two ways to the same answer on traces of all kinds.
 */
import { readdirSync } from 'node:fs';
import { test } from 'vitest';
import { makeCase } from '../../../fuzz/text/cases.js';
import { Corpus } from '../../../fuzz/text/corpus.js';
import { beginningOf } from '../traces/load.js';

const FOLDERS = ['hardware', 'lab', 'constructed', 'truth', 'demo'];

/** Tests with the beginning of each fixture, and with hostile traces. `number`: of the trace, among those of its test. */
export function testOnAllTraces(
  hostile: { readonly seed: number; readonly cases: number },
  compare: (text: Uint8Array, name: string, number: number) => Promise<void>,
): void {
  test.each(FOLDERS)('of fixtures of %s', async (folder) => {
    const files = readdirSync(['fixtures', folder].join('/')).filter((name) => /\.txt(?:\.gz)?$/.test(name));
    for (const [n, file] of files.entries()) await compare(beginningOf([folder, file].join('/')), file, n);
  });

  test('of hostile traces', async () => {
    const corpus = new Corpus(new URL('../../../fixtures/', import.meta.url));
    for (let n = 0; n < hostile.cases; n++) await compare(makeCase(hostile.seed, n, corpus).bytes, String(n), n);
  });
}

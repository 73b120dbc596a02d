/**
 * Checks folded text: any reader understands each line, and the numbers add up to the profile.
 */
import assert from 'node:assert/strict';
import type { Profile } from '../../src/model/profile/profile.js';
import type { FoldedOptions } from '../../src/render/folded.js';
import { expectSameNs } from './check-profile.js';

// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern must match control characters
const LINE = /^[^\x00-\x1f\x7f-\x9f\u2028\u2029]+ (\d+)$/u;

export function checkFolded(text: string, { meta, threads }: Profile, { annotate = false }: FoldedOptions): void {
  const paths = new Set<string>();
  let sum = 0;
  for (const line of text.split('\n').slice(0, -1)) {
    const value = LINE.exec(line)?.[1];
    assert(value !== undefined, `not a line of folded stacks: ${JSON.stringify(line.slice(0, 300))}`);
    const path = line.slice(0, -value.length - 1);
    assert(!path.split(';').includes(''), `a frame without a name: ${JSON.stringify(line.slice(0, 300))}`);
    assert(annotate || !paths.has(path), `duplicate path: ${JSON.stringify(path.slice(0, 300))}`);
    paths.add(path);
    sum += Number(value);
  }
  assert(text === '' || text.endsWith('\n'), 'the last line has no newline');
  const observedNs = threads.reduce((total, { startNs, endNs }) => total + (endNs - startNs), 0);
  if (meta.weight === 'ns') expectSameNs(sum, observedNs, meta, 'values of the folded lines');
}

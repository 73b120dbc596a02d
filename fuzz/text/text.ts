/**
 * Fuzzes traces as text.
 */

import { countLines } from '../checks/check-parser.js';
import type { Kind } from '../kind.js';
import { type FuzzCase, makeCase } from './cases.js';
import { checkCase } from './check.js';
import { Corpus } from './corpus.js';

export function texts(seed: number): Kind<FuzzCase> {
  const corpus = new Corpus(new URL('../../../fixtures/', import.meta.url)); // from dist/fuzz/text
  return {
    isText: true,
    make: (number) => makeCase(seed, number, corpus),
    sizeOf: ({ bytes }) => Math.max(1, countLines(bytes)),
    check: checkCase,
  };
}

/**
 * A seed and a number in, one case out: the bytes of a hostile trace, and how they are to be analysed.
 */
import type { AnalyzeOptions, FoldedOptions } from '../../src/index.js';
import { Random } from '../random.js';
import type { Corpus, Lines } from './corpus.js';
import { EXTREMES } from './extremes.js';
import { BYTE_MUTATIONS, RARE_BYTE_MUTATIONS } from './mutate-bytes.js';
import { LINE_MUTATIONS } from './mutate-lines.js';

export interface FuzzCase {
  readonly number: number;
  readonly bytes: Buffer;
  /** What was done to the fixture, in order. */
  readonly story: readonly string[];
  readonly analyze: Pick<AnalyzeOptions, 'select' | 'tailCalls' | 'extend' | 'byCalls'>;
  readonly fold: FoldedOptions;
  /** Sizes of the pieces that it comes in. */
  readonly pieceBytes: number;
  /** It comes as two inputs as well, cut at this share of its bytes. */
  readonly cutAt: number;
}

const SIZES = [1, 10, 50, 100, 200, 200, 400, 400, 1000, 6000];
const EXTREME_SIZES = [100, 1000, 5000];
const MUTATIONS = [1, 2, 3, 5, 10, 30];

export function makeCase(seed: number, number: number, corpus: Corpus): FuzzCase {
  const random = new Random(seed, number);
  const story: string[] = [];
  const lines = mutatedLines(firstLines(random, corpus, story), random, corpus, story);
  const text = Buffer.from(lines.map((line) => `${line}\n`).join(''), 'latin1');
  return { number, bytes: mutatedBytes(text, random, story), story, ...waysOf(random) };
}

function firstLines(random: Random, corpus: Corpus, story: string[]): Lines {
  if (!random.oneIn(60)) return corpus.excerpt(random, random.pick(SIZES));
  const name = random.pick(Object.keys(EXTREMES));
  const count = random.pick(EXTREME_SIZES);
  story.push(`${count} ${name}`);
  return (EXTREMES[name] as (typeof EXTREMES)[string])(count, random);
}

function mutatedLines(lines: Lines, random: Random, corpus: Corpus, story: string[]): Lines {
  let mutated = lines;
  for (let left = random.below(random.pick(MUTATIONS) + 1); left > 0 && mutated.length > 0; left--) {
    const name = random.pick(Object.keys(LINE_MUTATIONS));
    story.push(name);
    mutated = (LINE_MUTATIONS[name] as (typeof LINE_MUTATIONS)[string])(mutated, random, corpus);
  }
  return mutated;
}

function mutatedBytes(bytes: Buffer, random: Random, story: string[]): Buffer {
  const mutations = random.oneIn(40) ? RARE_BYTE_MUTATIONS : random.oneIn(4) ? BYTE_MUTATIONS : {};
  const names = Object.keys(mutations);
  if (names.length === 0 || bytes.length === 0) return bytes;
  const name = random.pick(names);
  story.push(`${name} (bytes)`);
  return (mutations[name] as (typeof mutations)[string])(bytes, random);
}

function waysOf(random: Random): Omit<FuzzCase, 'number' | 'bytes' | 'story'> {
  const select = random.oneIn(8) ? random.pick([{ tids: [14820] }, { cpus: [0] }, { comm: /^d/ }, { pids: [1] }]) : {};
  return {
    analyze: {
      select,
      tailCalls: random.pick(['nest', 'replace']),
      extend: !random.oneIn(3),
      byCalls: random.oneIn(2),
    },
    fold: { annotate: random.oneIn(2), by: random.pick(['none', 'thread', 'process', 'comm']) },
    pieceBytes: 1 + random.below(random.pick([100, 10_000, 1_000_000])),
    cutAt: random.next(),
  };
}

/**
 * Makes a case from a seed and a number: the bytes of a hostile trace, and the options to analyse it with.
 */
import type { AnalyzeOptions } from '../../src/pipeline/analyze.js';
import type { FoldedOptions } from '../../src/render/folded.js';
import { Random } from '../random.js';
import type { Corpus, Lines } from './corpus.js';
import { EXTREMES } from './extremes.js';
import { BYTE_MUTATIONS, RARE_BYTE_MUTATIONS } from './mutate-bytes.js';
import { LINE_MUTATIONS } from './mutate-lines.js';

export interface FuzzCase {
  readonly number: number;
  readonly bytes: Buffer;
  /** What was done to the fixture, in order. */
  readonly steps: readonly string[];
  readonly analyze: Pick<AnalyzeOptions, 'select' | 'tailCalls' | 'extend' | 'byCalls'>;
  readonly fold: FoldedOptions;
  /** Size of the pieces that the input arrives in. */
  readonly pieceBytes: number;
  /** The trace is also read as two inputs, divided at this share of its bytes. */
  readonly cutAt: number;
}

const SIZES = [1, 10, 50, 100, 200, 200, 400, 400, 1000, 6000];
const EXTREME_SIZES = [100, 1000, 5000];
const MUTATIONS = [1, 2, 3, 5, 10, 30];

export function makeCase(seed: number, number: number, corpus: Corpus): FuzzCase {
  const random = new Random(seed, number);
  const steps: string[] = [];
  const lines = mutatedLines(firstLines(random, corpus, steps), random, corpus, steps);
  const text = Buffer.from(lines.map((line) => `${line}\n`).join(''), 'latin1');
  return { number, bytes: mutatedBytes(text, random, steps), steps, ...randomOptions(random) };
}

function firstLines(random: Random, corpus: Corpus, steps: string[]): Lines {
  if (!random.oneIn(60)) return corpus.excerpt(random, random.pick(SIZES));
  const name = random.pick(Object.keys(EXTREMES));
  const count = random.pick(EXTREME_SIZES);
  steps.push(`${count} ${name}`);
  return (EXTREMES[name] as (typeof EXTREMES)[string])(count, random);
}

function mutatedLines(lines: Lines, random: Random, corpus: Corpus, steps: string[]): Lines {
  let mutated = lines;
  for (let left = random.below(random.pick(MUTATIONS) + 1); left > 0 && mutated.length > 0; left--) {
    const name = random.pick(Object.keys(LINE_MUTATIONS));
    steps.push(name);
    mutated = (LINE_MUTATIONS[name] as (typeof LINE_MUTATIONS)[string])(mutated, random, corpus);
  }
  return mutated;
}

function mutatedBytes(bytes: Buffer, random: Random, steps: string[]): Buffer {
  const mutations = random.oneIn(40) ? RARE_BYTE_MUTATIONS : random.oneIn(4) ? BYTE_MUTATIONS : {};
  const names = Object.keys(mutations);
  if (names.length === 0 || bytes.length === 0) return bytes;
  const name = random.pick(names);
  steps.push(`${name} (bytes)`);
  return (mutations[name] as (typeof mutations)[string])(bytes, random);
}

function randomOptions(random: Random): Omit<FuzzCase, 'number' | 'bytes' | 'steps'> {
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

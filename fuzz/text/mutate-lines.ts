/**
 * Mutates lines: removes, doubles, reorders, mixes in others, or inserts hostile words.
 */

import type { Random } from '../random.js';
import type { Corpus, Lines } from './corpus.js';
import { FIELDS, HOSTILE_WORDS } from './words.js';

type LineMutation = (lines: Lines, random: Random, corpus: Corpus) => Lines;

const MAX_STRETCH = 100_000;
const MAX_COPIES = 400;

export const LINE_MUTATIONS: Readonly<Record<string, LineMutation>> = {
  remove: (lines, random) => {
    const { start, end } = range(lines, random);
    return lines.toSpliced(start, end - start);
  },
  double: (lines, random) => {
    const { start, end } = range(lines, random);
    return lines.toSpliced(end, 0, ...lines.slice(start, end));
  },
  shuffle: (lines, random) => {
    const { start, end } = range(lines, random);
    return lines.toSpliced(start, end - start, ...shuffled(lines.slice(start, end), random));
  },
  repeat: (lines, random) => {
    const line = random.pick(lines);
    return lines.toSpliced(random.below(lines.length), 0, ...Array(random.below(MAX_COPIES)).fill(line));
  },
  splice: (lines, random, corpus) => lines.toSpliced(random.below(lines.length), 0, ...corpus.excerpt(random, 200)),
  interleave: (lines, random, corpus) => {
    const other = corpus.excerpt(random, lines.length);
    return lines.flatMap((line, row) => [line, ...other.slice(row, row + 1)]);
  },
  cut: (lines, random) => changed(lines, random, (line) => line.slice(0, random.below(line.length + 1))),
  glue: (lines, random, corpus) => changed(lines, random, (line) => line + corpus.line(random)),
  word: (lines, random) => changed(lines, random, (line) => withWord(line, random.pick(HOSTILE_WORDS), random)),
  graft: (lines, random, corpus) => changed(lines, random, (line) => withWord(line, fieldOf(corpus, random), random)),
  digit: (lines, random) => changed(lines, random, (line) => withDigit(line, random)),
  stretch: (lines, random) => changed(lines, random, (line) => stretched(line, random)),
  crlf: (lines) => lines.map((line) => `${line}\r`),
};

/** Mostly a few lines, sometimes all. */
function range(lines: Lines, random: Random): { start: number; end: number } {
  const length = random.oneIn(8) ? lines.length : Math.min(lines.length, 1 + random.below(20));
  const start = random.below(lines.length - length + 1);
  return { start, end: start + length };
}

function shuffled(lines: Lines, random: Random): Lines {
  const rest = [...lines];
  return lines.map(() => rest.splice(random.below(rest.length), 1)[0] as string);
}

function changed(lines: Lines, random: Random, change: (line: string) => string): Lines {
  const row = random.below(lines.length);
  return lines.with(row, change(lines[row] as string));
}

/** Replaces a field by the word, or inserts it anywhere. */
function withWord(line: string, word: string, random: Random): string {
  const found = [...line.matchAll(random.pick(FIELDS))];
  const field = found.length > 0 && !random.oneIn(4) ? random.pick(found) : null;
  const start = field?.index ?? random.below(line.length + 1);
  return line.slice(0, start) + word + line.slice(start + (field?.[0].length ?? 0));
}

function fieldOf(corpus: Corpus, random: Random): string {
  const found = corpus.line(random).match(random.pick(FIELDS)) ?? [];
  return found.length > 0 ? random.pick(found) : '';
}

function withDigit(line: string, random: Random): string {
  const found = [...line.matchAll(/[0-9a-f]/g)];
  if (found.length === 0) return line;
  const { index } = random.pick(found);
  return line.slice(0, index) + random.pick([...'0123456789abcdef']) + line.slice(index + 1);
}

/** Repeats a hostile word or a part of the line many times: exposes slow searches. */
function stretched(line: string, random: Random): string {
  const start = random.below(line.length + 1);
  const piece = random.oneIn(2) ? random.pick(HOSTILE_WORDS) : line.slice(start, start + 1 + random.below(12));
  const copies = random.below(MAX_STRETCH) / Math.max(1, piece.length) / (random.oneIn(2) ? 1 : 100);
  return line.slice(0, start) + piece.repeat(copies) + line.slice(start);
}

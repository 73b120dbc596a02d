/**
 * The fixtures in, lines to make mutants of out.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import type { Random } from '../random.js';

/** Lines without their newlines; bytes as latin1 characters. */
export type Lines = readonly string[];

export interface Seedling {
  readonly name: string;
  readonly lines: Lines;
}

/** What is damaged already is no seedling: the golden files hold it, and one more is to leave all cases as they are. */
const IS_TRACE = /^(?!damaged\/).*(?:\.txt|\.perf\.txt\.gz)$/;
const IS_SMALL = /^(?:hardware|lab|constructed)\//;

/** By name, so that a case stays the same wherever the folder is. */
export class Corpus {
  private readonly seedlings: readonly Seedling[];
  private readonly small: readonly Seedling[];

  /** `folder`: ends with a slash. */
  constructor(folder: URL) {
    const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => IS_TRACE.test(name));
    this.seedlings = names.sort().map((name) => ({ name, lines: linesOf(new URL(name, folder)) }));
    this.small = this.seedlings.filter(({ name }) => IS_SMALL.test(name));
  }

  /** A few lines or many, one behind the other: small odd fixtures more often than the long ones. */
  excerpt(random: Random, mostLines: number): Lines {
    const { lines } = random.pick(random.oneIn(3) ? this.seedlings : this.small);
    const length = Math.min(lines.length, 1 + random.below(mostLines));
    const start = random.below(lines.length - length + 1);
    return lines.slice(start, start + length);
  }

  line(random: Random): string {
    return random.pick(random.pick(this.seedlings).lines);
  }
}

function linesOf(file: URL): Lines {
  const bytes = readFileSync(file);
  const text = (file.pathname.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('latin1');
  return text.replace(/\n$/, '').split('\n');
}

/**
 * Provides lines of the fixtures to mutate.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import type { Random } from '../random.js';

/** Lines without their newlines; bytes as latin1 characters. */
export type Lines = readonly string[];

export interface SeedFile {
  readonly name: string;
  readonly lines: Lines;
}

/** Damaged fixtures are excluded: golden files cover them, and a new one must not change all cases. */
const IS_TRACE = /^(?!damaged\/).*(?:\.txt|\.perf\.txt\.gz)$/;
const IS_SMALL = /^(?:hardware|lab|constructed)\//;

/** Sorted by name, so that a case is the same wherever the folder is. */
export class Corpus {
  private readonly seedFiles: readonly SeedFile[];
  private readonly small: readonly SeedFile[];

  /** `folder`: ends with a slash. */
  constructor(folder: URL) {
    const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => IS_TRACE.test(name));
    this.seedFiles = names.sort().map((name) => ({ name, lines: linesOf(new URL(name, folder)) }));
    this.small = this.seedFiles.filter(({ name }) => IS_SMALL.test(name));
  }

  /** Up to `maxLines` consecutive lines; small odd fixtures are more frequent than long ones. */
  excerpt(random: Random, maxLines: number): Lines {
    const { lines } = random.pick(random.oneIn(3) ? this.seedFiles : this.small);
    const length = Math.min(lines.length, 1 + random.below(maxLines));
    const start = random.below(lines.length - length + 1);
    return lines.slice(start, start + length);
  }

  line(random: Random): string {
    return random.pick(random.pick(this.seedFiles).lines);
  }
}

function linesOf(file: URL): Lines {
  const bytes = readFileSync(file);
  const text = (file.pathname.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('latin1');
  return text.replace(/\n$/, '').split('\n');
}

/**
 * Flag words that no known perf prints: some of them, and how many lines had one.
 */
import { fromLatin1 } from './intern.js';

const MOST_WORDS = 100;
const LONGEST_WORD = 80;

/** However many a trace has: the smallest words are kept, so that their order does not matter. */
export class UnknownFlags {
  lines = 0;
  private readonly smallest: string[] = [];

  /** `word`: bytes as latin1 characters. */
  add(word: string): void {
    this.lines++;
    const kept = fromLatin1(word.slice(0, LONGEST_WORD));
    if (this.smallest.includes(kept)) return;
    this.smallest.push(kept);
    this.smallest.sort();
    if (this.smallest.length > MOST_WORDS) this.smallest.pop();
  }

  /** What another one knew; nothing was added to this one yet. */
  addAll(words: readonly string[], lines: number): void {
    this.smallest.push(...words);
    this.lines = lines;
  }

  /** Each once, sorted. */
  get words(): readonly string[] {
    return this.smallest;
  }
}

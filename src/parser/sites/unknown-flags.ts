/**
 * Counts lines with flags that no known perf prints, and keeps some of these flags.
 */
import { fromLatin1 } from './intern.js';

const MAX_WORDS = 100;
const MAX_WORD_LENGTH = 80;

/** Keeps the smallest words, so that the result does not depend on their order. */
export class UnknownFlags {
  lines = 0;
  private readonly smallest: string[] = [];

  /** Adds a word; bytes as latin1 characters. */
  add(word: string): void {
    this.lines++;
    const kept = fromLatin1(word.slice(0, MAX_WORD_LENGTH));
    if (this.smallest.includes(kept)) return;
    this.smallest.push(kept);
    this.smallest.sort();
    if (this.smallest.length > MAX_WORDS) this.smallest.pop();
  }

  /** Restores the state of another one; nothing may have been added to this one. */
  addAll(words: readonly string[], lines: number): void {
    this.smallest.push(...words);
    this.lines = lines;
  }

  /** The words, sorted, each once. */
  get words(): readonly string[] {
    return this.smallest;
  }
}

/**
 * Shows the first damaged lines of an input.
 */
import type { DamagedLine } from '../../model/profile/profile.js';
import { fromLatin1 } from '../sites/intern.js';
import { MAX_DAMAGED_SHOWN, MAX_SHOWN_LENGTH } from './standalone-piece.js';

export class DamagedLines {
  readonly shown: DamagedLine[] = [];
  private readonly input: string;

  constructor(input: string) {
    this.input = input;
  }

  /** `line`: its number, from 1; `text`: bytes as latin1 characters. */
  show(line: number, text: string, reason: string): void {
    if (this.shown.length >= MAX_DAMAGED_SHOWN) return;
    this.shown.push({ input: this.input, line, text: fromLatin1(text.slice(0, MAX_SHOWN_LENGTH)), reason });
  }
}

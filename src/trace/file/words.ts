/**
 * Encodes and decodes words: texts that may repeat. A word is its number; a new one is followed by its text.
 */
import type { NumberReader } from '../../codec/number-reader.js';
import type { NumberWriter } from '../../codec/number-writer.js';

export class WordWriter {
  private readonly out: NumberWriter;
  private readonly numberOf = new Map<string, number>();

  constructor(out: NumberWriter) {
    this.out = out;
  }

  write(text: string): void {
    const number = this.numberOf.get(text) ?? this.numberOf.size;
    this.out.count(number);
    if (number < this.numberOf.size) return;
    this.numberOf.set(text, number);
    this.out.text(text);
  }
}

export class WordReader {
  private readonly from: NumberReader;
  private readonly texts: string[] = [];

  constructor(from: NumberReader) {
    this.from = from;
  }

  read(): string {
    const number = this.from.countWithin(0, this.texts.length);
    if (number === this.texts.length) this.texts.push(this.from.text());
    return this.texts[number] as string;
  }
}

/**
 * Refers to places in a callgrind file: a name is written once, with a number that stands for it later: `fn=(3) main`.
 */
import type { Place } from './places.js';

export class References {
  private readonly binaries = new Names();
  private readonly files = new Names();
  private readonly functions = new Names();

  /** The costs after it are of this place. */
  caller(place: Place): string {
    return this.lines('ob', 'fl', 'fn', place);
  }

  callee(place: Place): string {
    return this.lines('cob', 'cfi', 'cfn', place);
  }

  private lines(binary: string, file: string, name: string, place: Place): string {
    return [
      `${binary}=${this.binaries.reference(place.binary)}`,
      `${file}=${this.files.reference(place.file)}`,
      `${name}=${this.functions.reference(place.name)}`,
      '',
    ].join('\n');
  }
}

class Names {
  private readonly numbers = new Map<string, number>();

  reference(text: string): string {
    const known = this.numbers.get(text);
    if (known !== undefined) return `(${known})`;
    const number = this.numbers.size + 1;
    this.numbers.set(text, number);
    return `(${number}) ${textOf(text)}`;
  }
}

/** Readers drop spaces in front, and take a number without a text for a later use. */
function textOf(text: string): string {
  return text === '' ? '\\x00' : text.replace(/^ /, '\\x20');
}

/**
 * What is wrong with a recording, in words: the first of it, so that a garbled file does not fill the memory.
 */
const MOST_TOLD = 20;

export class Damage {
  private readonly told: string[] = [];
  private more = 0;

  add(what: string): void {
    if (this.told.length < MOST_TOLD) this.told.push(what);
    else this.more++;
  }

  texts(): readonly string[] {
    return this.more === 0 ? this.told : [...this.told, `and ${this.more} more faults like these`];
  }
}

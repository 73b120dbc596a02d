/**
 * Collects the faults of a recording, in words; only the first ones, so that a garbled file does not fill the memory.
 */
const MAX_MESSAGES = 20;

export class Damage {
  private readonly listed: string[] = [];
  private more = 0;

  add(what: string): void {
    if (this.listed.length < MAX_MESSAGES) this.listed.push(what);
    else this.more++;
  }

  messages(): readonly string[] {
    return this.more === 0 ? this.listed : [...this.listed, `and ${this.more} more faults like these`];
  }
}

/**
 * A random number generator (mulberry32): the same seed gives the same numbers on every machine.
 */
export class Random {
  private state: number;

  constructor(seed: number) {
    this.state = Math.imul(seed + 1, 0x9e3779b1);
  }

  /** 32 random bits. */
  bits(): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), this.state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  }

  /** In [0, 1). */
  share(): number {
    return this.bits() / 2 ** 32;
  }

  below(limit: number): number {
    return Math.floor(this.share() * limit);
  }

  pick<Choice>(choices: readonly Choice[]): Choice {
    return choices[this.below(choices.length)];
  }
}

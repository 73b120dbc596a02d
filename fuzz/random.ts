/**
 * Random choices from a seed and a case number: the same ones on every machine.
 */
export class Random {
  private state: number;

  constructor(seed: number, caseNumber: number) {
    this.state = Math.imul(seed + 1, 0x9e3779b1) ^ Math.imul(caseNumber + 1, 0x85ebca6b);
    for (let i = 0; i < 4; i++) this.next(); // neighbouring cases must not be correlated
  }

  /** In [0, 1) (mulberry32). */
  next(): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), this.state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** An integer in [0, count). */
  below(count: number): number {
    return Math.floor(this.next() * count);
  }

  oneIn(count: number): boolean {
    return this.below(count) === 0;
  }

  pick<T>(list: readonly T[]): T {
    return list[this.below(list.length)] as T;
  }
}

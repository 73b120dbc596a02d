/**
 * Who acts next: a heap by time, then by who it is.
 */
export class Agenda {
  private readonly who: number[] = [];
  private readonly atNs: number[] = [];

  /** An agenda is never asked when it is empty. */
  get next(): number {
    return this.who[0];
  }

  get nextNs(): number {
    return this.atNs[0];
  }

  add(who: number, atNs: number): void {
    let at = this.who.length;
    while (at > 0) {
      const above = (at - 1) >> 1;
      if (!this.isEarlier(atNs, who, above)) break;
      this.move(above, at);
      at = above;
    }
    this.put(at, who, atNs);
  }

  /** Whoever acts next does so later. */
  postpone(atNs: number): void {
    this.sink(this.next, atNs);
  }

  remove(): void {
    const who = this.who.pop() as number;
    const atNs = this.atNs.pop() as number;
    if (this.who.length > 0) this.sink(who, atNs);
  }

  /** Takes the first place, and goes down to where it belongs. */
  private sink(who: number, atNs: number): void {
    let at = 0;
    for (;;) {
      let below = 2 * at + 1;
      if (below >= this.who.length) break;
      if (below + 1 < this.who.length && this.isEarlier(this.atNs[below + 1]!, this.who[below + 1]!, below)) below++;
      if (this.isEarlier(atNs, who, below)) break;
      this.move(below, at);
      at = below;
    }
    this.put(at, who, atNs);
  }

  private isEarlier(atNs: number, who: number, than: number): boolean {
    const otherNs = this.atNs[than];
    return atNs < otherNs || (atNs === otherNs && who < this.who[than]!);
  }

  private move(from: number, to: number): void {
    this.put(to, this.who[from], this.atNs[from]);
  }

  private put(at: number, who: number, atNs: number): void {
    this.who[at] = who;
    this.atNs[at] = atNs;
  }
}

/**
 * A min-heap of ids by time; ids with the same time are ordered by id.
 */
export class TimeHeap {
  private readonly ids: number[] = [];
  private readonly atNs: number[] = [];

  get next(): number {
    return this.ids[0];
  }

  get nextNs(): number {
    return this.atNs[0];
  }

  add(id: number, atNs: number): void {
    let at = this.ids.length;
    while (at > 0) {
      const above = (at - 1) >> 1;
      if (!this.isEarlier(atNs, id, above)) break;
      this.move(above, at);
      at = above;
    }
    this.put(at, id, atNs);
  }

  /** Moves the next entry to a later time. */
  postpone(atNs: number): void {
    this.sink(this.next, atNs);
  }

  remove(): void {
    const id = this.ids.pop() as number;
    const atNs = this.atNs.pop() as number;
    if (this.ids.length > 0) this.sink(id, atNs);
  }

  /** Puts an entry at the top and moves it down to its position. */
  private sink(id: number, atNs: number): void {
    let at = 0;
    for (;;) {
      let below = 2 * at + 1;
      if (below >= this.ids.length) break;
      if (below + 1 < this.ids.length && this.isEarlier(this.atNs[below + 1]!, this.ids[below + 1]!, below)) below++;
      if (this.isEarlier(atNs, id, below)) break;
      this.move(below, at);
      at = below;
    }
    this.put(at, id, atNs);
  }

  private isEarlier(atNs: number, id: number, than: number): boolean {
    const otherNs = this.atNs[than];
    return atNs < otherNs || (atNs === otherNs && id < this.ids[than]!);
  }

  private move(from: number, to: number): void {
    this.put(to, this.ids[from], this.atNs[from]);
  }

  private put(at: number, id: number, atNs: number): void {
    this.ids[at] = id;
    this.atNs[at] = atNs;
  }
}

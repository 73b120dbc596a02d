/**
 * Numbers the texts of a pprof profile in the order of their first use; the first one is empty, as the format wants.
 */
export class StringTable {
  private readonly rows = new Map<string, number>([['', 0]]);

  /** Returns the row of a text. */
  intern(text: string): number {
    const known = this.rows.get(text);
    if (known !== undefined) return known;
    this.rows.set(text, this.rows.size);
    return this.rows.size - 1;
  }

  /** In the order of their rows. */
  texts(): Iterable<string> {
    return this.rows.keys();
  }
}

/**
 * Keys of rows → their numbers in the dictionary of a row group, in the order in which they occur.
 */
export class KeysInGroup {
  /** By key: 1 + its number; 0: it has not occurred in this group. */
  private readonly numberOf: Int32Array;

  /** `length`: keys are below it. */
  constructor(length: number) {
    this.numberOf = new Int32Array(length);
  }

  /** Returns the number of each row, in memory that is as long, and the keys by number. */
  take(keysOfRows: Int32Array, rows: Int32Array): { readonly rows: Int32Array; readonly keys: readonly number[] } {
    const { numberOf } = this;
    const keys: number[] = [];
    for (let row = 0; row < rows.length; row++) {
      const key = keysOfRows[row];
      if (numberOf[key] === 0) numberOf[key] = keys.push(key);
      rows[row] = numberOf[key] - 1;
    }
    for (const key of keys) numberOf[key] = 0;
    return { rows, keys };
  }
}

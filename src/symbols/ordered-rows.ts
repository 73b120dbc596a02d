/**
 * Rows ordered by a key: the red-black tree of the textbook (CLRS, chapter 13; equal keys to the right).
 *
 * Its shape matters: if two symbols overlap, perf finds the one that is higher in the tree (symbol-table.ts).
 */
import { NONE } from '../model/units.js';

export class OrderedRows {
  root = NONE;
  readonly left: Int32Array;
  readonly right: Int32Array;
  private readonly parent: Int32Array;
  private readonly isRed: Uint8Array;

  constructor(readonly key: Float64Array) {
    this.left = new Int32Array(key.length).fill(NONE);
    this.right = new Int32Array(key.length).fill(NONE);
    this.parent = new Int32Array(key.length).fill(NONE);
    this.isRed = new Uint8Array(key.length);
  }

  insert(row: number): void {
    const { key, left, right } = this;
    const wanted = key[row];
    let above = NONE;
    for (let at = this.root; at !== NONE; at = wanted < key[at] ? left[at] : right[at]) above = at;
    this.parent[row] = above;
    if (above === NONE) this.root = row;
    else if (wanted < key[above]) left[above] = row;
    else right[above] = row;
    this.isRed[row] = 1;
    this.colourAfterInsert(row);
  }

  remove(row: number): void {
    const { left, right, parent, isRed } = this;
    let moved = row;
    if (left[row] !== NONE && right[row] !== NONE) moved = this.lowest(right[row]);
    const below = left[moved] === NONE ? right[moved] : left[moved];
    const wasRed = isRed[moved];
    let above = parent[moved];
    this.replace(moved, below);
    if (moved !== row) {
      if (above === row) above = moved;
      this.substitute(moved, row);
    }
    if (wasRed === 0) this.colourAfterRemove(below, above);
  }

  private lowest(row: number): number {
    let at = row;
    while (this.left[at] !== NONE) at = this.left[at];
    return at;
  }

  /** Moves a subtree, or NONE, up to where the row is. */
  private replace(row: number, below: number): void {
    const above = this.parent[row];
    if (above === NONE) this.root = below;
    else if (this.left[above] === row) this.left[above] = below;
    else this.right[above] = below;
    if (below !== NONE) this.parent[below] = above;
  }

  /** Puts a row that has left the tree where another one is, with its colour. */
  private substitute(moved: number, row: number): void {
    const { left, right, parent, isRed } = this;
    this.replace(row, moved);
    left[moved] = left[row];
    right[moved] = right[row];
    isRed[moved] = isRed[row];
    if (left[moved] !== NONE) parent[left[moved]] = moved;
    if (right[moved] !== NONE) parent[right[moved]] = moved;
  }

  private colourAfterInsert(row: number): void {
    const { left, right, parent, isRed } = this;
    let at = row;
    while (parent[at] !== NONE && isRed[parent[at]] === 1) {
      const above = parent[at];
      const top = parent[above];
      const [near, far] = above === left[top] ? [left, right] : [right, left];
      const uncle = far[top];
      if (uncle !== NONE && isRed[uncle] === 1) {
        isRed[above] = 0;
        isRed[uncle] = 0;
        isRed[top] = 1;
        at = top;
        continue;
      }
      if (at === far[above]) {
        at = above;
        this.rotate(at, near, far);
      }
      isRed[parent[at]] = 0;
      isRed[top] = 1;
      this.rotate(top, far, near);
    }
    isRed[this.root] = 0;
  }

  /** `row` lacks one black row above it; NONE if the removed row had no child. */
  private colourAfterRemove(row: number, aboveRow: number): void {
    const { left, right, isRed } = this;
    let at = row;
    let above = aboveRow;
    while (above !== NONE && (at === NONE || isRed[at] === 0)) {
      const [near, far] = at === left[above] ? [left, right] : [right, left];
      const sibling = this.blackSibling(above, near, far);
      if (this.isBlack(near[sibling]) && this.isBlack(far[sibling])) {
        isRed[sibling] = 1;
        at = above;
        above = this.parent[at];
        continue;
      }
      this.liftSibling(above, sibling, near, far);
      at = this.root;
      above = NONE;
    }
    if (at !== NONE) isRed[at] = 0;
  }

  private blackSibling(above: number, near: Int32Array, far: Int32Array): number {
    const sibling = far[above];
    if (this.isRed[sibling] === 0) return sibling;
    this.isRed[sibling] = 0;
    this.isRed[above] = 1;
    this.rotate(above, near, far);
    return far[above];
  }

  /** Moves the sibling, which has a red child, to where `above` is. */
  private liftSibling(above: number, sibling: number, near: Int32Array, far: Int32Array): void {
    const { isRed } = this;
    let lifted = sibling;
    if (this.isBlack(far[sibling])) {
      isRed[near[sibling]] = 0;
      isRed[sibling] = 1;
      this.rotate(sibling, far, near);
      lifted = far[above];
    }
    isRed[lifted] = isRed[above];
    isRed[above] = 0;
    isRed[far[lifted]] = 0;
    this.rotate(above, near, far);
  }

  private isBlack(row: number): boolean {
    return row === NONE || this.isRed[row] === 0;
  }

  /** Moves the row down on the near side, and its far child up. */
  private rotate(row: number, near: Int32Array, far: Int32Array): void {
    const up = far[row];
    const between = near[up];
    far[row] = between;
    if (between !== NONE) this.parent[between] = row;
    this.replace(row, up);
    near[up] = row;
    this.parent[row] = up;
  }
}

/**
 * Finds the row that holds an offset: the first one on the way down, if rows overlap.
 *
 * Returns NONE if no row holds it. The end of a row is exclusive, unless the row is empty.
 */
export function findRow({ root, key, left, right }: OrderedRows, end: Float64Array, offset: number): number {
  let row = root;
  while (row !== NONE) {
    if (offset < key[row]) row = left[row];
    else if (offset > end[row] || (offset === end[row] && end[row] !== key[row])) row = right[row];
    else return row;
  }
  return NONE;
}

/**
 * Collects the call paths that are used of a shape, and numbers them anew.
 */
import { ROOT } from '../../model/calls/call-tree.js';
import type { Shape } from '../../model/calls/overlay.js';
import type { WaitsByPath } from '../../model/profile/waits-by-path.js';
import { NONE } from '../../model/units.js';

export class UsedPaths {
  private readonly shape: Shape;
  private readonly isUsed: Uint8Array;

  constructor(shape: Shape) {
    this.shape = shape;
    this.isUsed = new Uint8Array(shape.length);
    this.isUsed[ROOT] = 1;
  }

  add(node: number): void {
    for (let at = node; this.isUsed[at] === 0; at = this.shape.parent[at]) this.isUsed[at] = 1;
  }

  /** Returns the paths, and by node of the shape its node among them. They are in the same order. */
  build(): { readonly paths: WaitsByPath['paths']; readonly newId: Int32Array } {
    const { length, parent, symbol } = this.shape;
    const newId = new Int32Array(length).fill(NONE);
    const paths = { parent: [] as number[], symbol: [] as number[] };
    for (let node = ROOT; node < length; node++) {
      if (this.isUsed[node] === 0) continue;
      newId[node] = paths.parent.push(node === ROOT ? NONE : newId[parent[node]]) - 1;
      paths.symbol.push(symbol[node]);
    }
    return { paths, newId };
  }
}

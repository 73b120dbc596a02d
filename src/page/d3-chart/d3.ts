/** A node of the chart; it extends from `x0` to `x1`, as shares of the width. */
class Node<Datum> {
  readonly depth: number;
  readonly children: readonly Node<Datum>[];
  value = 0;
  x0 = 0;
  x1 = 1;

  constructor(
    readonly data: Datum,
    childrenOf: (datum: Datum) => readonly Datum[],
    readonly parent: Node<Datum> | null = null,
  ) {
    this.depth = parent === null ? 0 : parent.depth + 1;
    this.children = childrenOf(data).map((child) => new Node(child, childrenOf, this));
  }

  /** Returns the node and all below, callers before callees. */
  descendants(): Node<Datum>[] {
    const found: Node<Datum>[] = [this];
    for (const { children } of found) found.push(...children);
    return found;
  }
}

/** Replaces d3-hierarchy: each node is above its caller, callees are side by side. */
export function hierarchy<Datum>(data: Datum, childrenOf: (datum: Datum) => readonly Datum[]): Node<Datum> {
  return new Node(data, childrenOf);
}

/** Places children side by side, each with its share of the caller's width. */
export function partition(): (root: Node<unknown>) => void {
  return (root) => {
    for (const { children, x0, x1, value } of root.descendants()) {
      let x = x0;
      for (const child of children) {
        child.x0 = x;
        child.x1 = x += value && (child.value * (x1 - x0)) / value;
      }
    }
  };
}

interface Scale {
  (share: number): number;
  range(pixels: readonly [from: number, to: number]): Scale;
}

/**
 * Replaces d3-scale: maps shares of the width to pixels.
 *
 * Maps 0 to 1 to a range.
 */
export function scaleLinear(): Scale {
  let [from, to] = [0, 1];
  const scale: Scale = Object.assign((share: number) => from + share * (to - from), {
    range(pixels: readonly [number, number]) {
      [from, to] = pixels;
      return scale;
    },
  });
  return scale;
}
/**
 * Replaces the d3 packages that d3-flame-graph imports (docs/design/page.md). The bundler substitutes this file only for
 * imports from that library; any other import of d3 gets the real package.
 */
export { select } from './selection.js';

function unused(): never {
  throw new Error('not used by the page');
}

export { unused as ascending, unused as easeCubic, unused as format };

/**
 * In place of d3-hierarchy, d3-array, d3-scale, d3-format and d3-ease, of which d3-flame-graph takes more than is used here: it places each node
 * above its caller, goes from shares of the width to pixels, sorts nothing, writes nothing and moves nothing.
 */
interface Scale {
  (share: number): number;
  range(pixels: readonly [from: number, to: number]): Scale;
}

/** From 0 to 1, to a range. */
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

/** A node of the chart and where it stands: from the share `x0` of the width to `x1`. */
class Node<Datum> {
  readonly data: Datum;
  readonly parent: Node<Datum> | null;
  readonly depth: number;
  readonly children: readonly Node<Datum>[];
  value = 0;
  x0 = 0;
  x1 = 1;

  constructor(data: Datum, childrenOf: (datum: Datum) => readonly Datum[], parent: Node<Datum> | null = null) {
    this.data = data;
    this.parent = parent;
    this.depth = parent === null ? 0 : parent.depth + 1;
    this.children = childrenOf(data).map((child) => new Node(child, childrenOf, this));
  }

  /** With itself, callers before callees. */
  descendants(): Node<Datum>[] {
    const found: Node<Datum>[] = [this];
    for (const { children } of found) found.push(...children);
    return found;
  }
}

export function hierarchy<Datum>(data: Datum, childrenOf: (datum: Datum) => readonly Datum[]): Node<Datum> {
  return new Node(data, childrenOf);
}

/** Children side by side, each as wide as its part of the caller's value. */
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

function unused(): never {
  throw new Error('the page sorts and writes by itself');
}

export { unused as ascending, unused as easeCubic, unused as format };

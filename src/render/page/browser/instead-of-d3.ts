/**
 * In place of d3-array, d3-scale, d3-format and d3-ease, of which d3-flame-graph takes more than is used here: it goes from shares of the
 * width to pixels, sorts nothing, writes nothing and moves nothing.
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

function unused(): never {
  throw new Error('the page sorts and writes by itself');
}

export { unused as ascending, unused as easeCubic, unused as format };

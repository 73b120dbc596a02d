/**
 * Replaces d3-scale: maps shares of the width to pixels.
 */
interface Scale {
  (share: number): number;
  range(pixels: readonly [from: number, to: number]): Scale;
}

/** Maps 0 to 1 to a range. */
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

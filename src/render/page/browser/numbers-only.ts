/**
 * In the place of d3-interpolate: scales of the page go from numbers to numbers. Colours, dates and texts would be a tenth of
 * the script.
 */
type Interpolator = (at: number) => number;

export function interpolate(from: number, to: number): Interpolator {
  return (at) => from * (1 - at) + to * at;
}

export const interpolateNumber = interpolate;

export function interpolateRound(from: number, to: number): Interpolator {
  return (at) => Math.round(from * (1 - at) + to * at);
}

/** What parts of d3 ask for that the page does not use. */
function unused(): never {
  throw new Error('the page has numbers alone');
}

export {
  unused as interpolateCubehelixLong,
  unused as interpolateRgbBasis,
  unused as interpolateZoom,
  unused as piecewise,
};

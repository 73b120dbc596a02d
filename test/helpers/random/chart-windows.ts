/**
 * Random windows of stack charts: from everything down to the shortest, in narrow and wide views.
 */
import fc from 'fast-check';

export const windowsOf = (durationNs: number) =>
  fc
    .tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.double({ min: -6, max: 0, noNaN: true }), fc.nat(3))
    .map(([at, size, width]) => {
      const lengthNs = Math.max(20, durationNs * 10 ** size);
      const startNs = at * Math.max(0, durationNs - lengthNs);
      return { window: { startNs, endNs: startNs + lengthNs }, widthPx: [1, 37, 320, 1900][width] };
    });

/**
 * Turns the answer about a function's calls into a plot: what a picture shows is what the JSON has.
 */
import type { Latency } from '../../../src/questions/schema.js';
import { isAbout } from '../../../src/render/format.js';
import type { CallsPlot } from '../../../src/render/plot/calls-plot.js';

/** null: the answer does not have when calls were. */
export function plotOf({ overTime, trace, stats }: Latency): CallsPlot | null {
  if (overTime === undefined) return null;
  const percentile = (name: string, ns: number | null) => ({ name, ns, isAbout: ns !== null && isAbout(ns, stats) });
  const percentiles = [
    { name: 'max', ns: stats.maxNs },
    percentile('p99', stats.p99Ns),
    percentile('p90', stats.p90Ns),
    percentile('p50', stats.p50Ns),
  ];
  return { ...overTime, durationNs: trace.durationNs, percentiles };
}

/**
 * Turns the answer about a function's calls into a plot: what a picture shows is what the JSON has.
 */
import type { Latency } from '../../../src/answers.js';
import type { CallsPlot } from '../../../src/plots.js';

/** null: the answer does not have when calls were. */
export function plotOf({ overTime, trace, stats }: Latency): CallsPlot | null {
  if (overTime === undefined) return null;
  const percentiles = [
    { name: 'max', ns: stats.maxNs },
    { name: 'p99', ns: stats.p99Ns },
    { name: 'p90', ns: stats.p90Ns },
    { name: 'p50', ns: stats.p50Ns },
  ];
  return { ...overTime, durationNs: trace.durationNs, percentiles };
}

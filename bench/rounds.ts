/**
 * Runs candidates in turn and returns medians. Taking turns spreads other load on the machine evenly.
 */
import type { Candidate } from './candidates.js';
import { type Cost, measure } from './measure.js';

export interface Measured extends Cost {
  readonly name: string;
  /** Wall times in the order of the rounds. */
  readonly allWallSeconds: readonly number[];
}

export async function measureRounds(candidates: readonly Candidate[], rounds: number): Promise<Measured[]> {
  const costs = candidates.map((): Cost[] => []);
  for (let round = 0; round < rounds; round++) {
    for (const [row, { command, check }] of candidates.entries()) {
      const { stdout, ...cost } = await measure(command);
      await check(stdout);
      costs[row]?.push(cost);
    }
  }
  return candidates.map(({ name }, row) => ({ name, ...medians(costs[row]) }));
}

function medians(costs: readonly Cost[]): Omit<Measured, 'name'> {
  return {
    wallSeconds: median(costs.map(({ wallSeconds }) => wallSeconds)),
    cpuSeconds: median(costs.map(({ cpuSeconds }) => cpuSeconds)),
    peakBytes: median(costs.map(({ peakBytes }) => peakBytes)),
    allWallSeconds: costs.map(({ wallSeconds }) => wallSeconds),
  };
}

/** For an even number of values, the mean of the two in the middle. */
export function median(values: readonly number[]): number {
  const ordered = [...values].sort((a, b) => a - b);
  const middle = ordered.length / 2;
  return (ordered[Math.ceil(middle) - 1] + ordered[Math.floor(middle)]) / 2;
}

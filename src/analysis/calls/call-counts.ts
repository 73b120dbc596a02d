/**
 * What the CPU did in calls: instructions, cycles, iterations, and how fast it was clocked.
 */
import type { Nanoseconds, Tid } from '../../model/units.js';

/** Of one call; or of typical ones: the median of each. */
export interface CallCounts {
  readonly instructions: number;
  /** null: no CYC packets were recorded. */
  readonly cycles: number | null;
  /** How often the function's jump backward that was taken most often was taken; with calls of itself. */
  readonly iterations: number;
  /** The lowest and the mean frequency; null: no CBR packets were recorded. */
  readonly mhz: { readonly min: number; readonly mean: number } | null;
}

/** A call that is looked at for what is typical. */
export interface SampledCall {
  readonly tid: Tid;
  readonly startNs: Nanoseconds;
  readonly durationNs: Nanoseconds;
  /** Of all calls, those with the lowest are taken. */
  readonly draw: number;
  /** null: could not be counted; absent: nothing is counted. */
  readonly counts?: CallCounts | null;
}

const SAMPLED_CALLS = 15;

/** Returns a number that is evenly spread over calls, whenever they begin, and the same in each run. */
export function drawOf(startNs: Nanoseconds): number {
  const high = Math.floor(startNs / 2 ** 32);
  let mixed = Math.imul(startNs | 0, 0x9e3779b1) ^ Math.imul(high | 0, 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x7feb352d);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x846ca68b);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}

/** Returns those of the calls that are sampled. */
export function sampled<Call extends Pick<SampledCall, 'draw' | 'startNs'>>(calls: readonly Call[]): Call[] {
  return calls.toSorted((a, b) => a.draw - b.draw || a.startNs - b.startNs).slice(0, SAMPLED_CALLS);
}

/** What is typical: of how many calls, and the median of each count. */
export interface TypicalCounts extends CallCounts {
  readonly calls: number;
}

/** Returns null if none of the calls was counted. */
export function typicalCounts(sample: readonly SampledCall[]): TypicalCounts | null {
  const known = sample.flatMap(({ counts }) => (counts ? [counts] : []));
  if (known.length === 0) return null;
  const mhz = known.flatMap((each) => (each.mhz ? [each.mhz] : []));
  return {
    calls: known.length,
    instructions: median(known.map(({ instructions }) => instructions)) as number,
    cycles: median(known.flatMap(({ cycles }) => cycles ?? [])),
    iterations: median(known.map(({ iterations }) => iterations)) as number,
    mhz:
      mhz.length === 0
        ? null
        : { min: median(mhz.map(({ min }) => min)) as number, mean: median(mhz.map(({ mean }) => mean)) as number },
  };
}

function median(values: readonly number[]): number | null {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[(sorted.length - 1) >> 1] ?? null;
}

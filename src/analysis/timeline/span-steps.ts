/**
 * The durations below which calls may be left out: eight in each level of calls, so that as many are kept as fit.
 */
import type { Nanoseconds } from '../../model/units.js';

const STEPS_PER_LEVEL = 8;
/** A level is a factor of 4, so two powers of 2. */
const STEPS_PER_POWER = STEPS_PER_LEVEL / 2;
/** Beyond 2^53 ns, which is 104 days. */
const LEVELS = 27;
export const SPAN_STEPS = STEPS_PER_LEVEL * LEVELS;

/** The first level also has what lasted less than 4 ns: its steps are one. */
const MIN_NS = Float64Array.from({ length: SPAN_STEPS }, (_, step) =>
  step === 0 ? 0 : Math.ceil(4 ** Math.max(1, step / STEPS_PER_LEVEL)),
);

/** Returns the shortest duration of calls of a step. */
export function minSpanNs(step: number): Nanoseconds {
  return step < SPAN_STEPS ? MIN_NS[step] : Number.POSITIVE_INFINITY;
}

/** Returns the highest step that a duration reaches. */
export function spanStep(durationNs: Nanoseconds): number {
  if (durationNs < 4) return 0;
  const power = durationNs < 2 ** 31 ? 31 - Math.clz32(durationNs) : Math.floor(Math.log2(durationNs));
  let step = STEPS_PER_POWER * power;
  while (durationNs >= MIN_NS[step + 1]) step++;
  return step;
}

/** Returns the level of calls (`spanLevel`) that has those of a step. */
export function levelOfStep(step: number): number {
  return Math.floor(step / STEPS_PER_LEVEL);
}

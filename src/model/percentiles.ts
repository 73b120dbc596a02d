/**
 * The percentiles of durations that answers, tables and pages show: a row here is a column in each of them.
 */
interface Percentile<Key extends string, Title extends string> {
  /** In JSON and CSV. */
  readonly key: Key;
  readonly title: Title;
  /** This part of the durations is not longer. */
  readonly part: number;
  readonly hint: string;
  /** In a table of functions: if space is short, columns of a high rank are left out first. */
  readonly rank: number;
}

const percentile = <Key extends string, Title extends string>(
  key: Key,
  title: Title,
  part: number,
  share: string,
  rank: number,
): Percentile<Key, Title> => ({ key, title, part, hint: `${share} of the complete calls took no longer`, rank });

export const PERCENTILES = [
  percentile('p50Ns', 'p50', 0.5, 'half', 8),
  percentile('p90Ns', 'p90', 0.9, '90 %', 7),
  percentile('p99Ns', 'p99', 0.99, '99 %', 2),
] as const;

type AnyPercentile = (typeof PERCENTILES)[number];
export type PercentileKey = AnyPercentile['key'];
export type PercentileTitle = AnyPercentile['title'];

/** In ns, unless there is another type of values. NaN: unknown. */
export type Percentiles<Value = number> = Readonly<Record<PercentileKey, Value>>;

/** How many calls percentiles are of: those that are complete. */
export interface CountedCalls {
  readonly calls?: number;
  readonly inferred?: number;
}

/**
 * Whether so many calls have this percentile: fewer than 100 have no p99, as none is beyond it. Unknown numbers have. Tables
 * and pages show no others; JSON and CSV have all.
 */
export function havePercentile({ calls, inferred = 0 }: CountedCalls, part: number): boolean {
  return calls === undefined || calls - inferred >= Math.round(1 / (1 - part));
}

export function eachPercentile<Value>(value: (percentile: AnyPercentile) => Value): Record<PercentileKey, Value> {
  return Object.fromEntries(PERCENTILES.map((each) => [each.key, value(each)])) as Record<PercentileKey, Value>;
}

/** The same by title, for values that are no durations. */
export function eachPercentileTitle<Value>(
  value: (percentile: AnyPercentile) => Value,
): Record<PercentileTitle, Value> {
  return Object.fromEntries(PERCENTILES.map((each) => [each.title, value(each)])) as Record<PercentileTitle, Value>;
}

/**
 * zod schemas of the JSON that `ptflame fleet` prints; docs/answers.md describes it.
 */
import * as z from 'zod';
import { count, head, ns, nsOrNull, percentiles } from '../questions/schema.js';

const name = { name: z.string(), dso: z.string().nullable() };

/** A function over all recordings. */
export const FleetFunction = z.object({
  ...name,
  kind: z.string(),
  /** The number of recordings that it occurs in. */
  recordings: count,
  ...{ calls: count, inferred: count, unwound: count, totalNs: ns, selfNs: ns, outsideNs: ns, inferredNs: ns },
  ...{ avgNs: nsOrNull, minNs: nsOrNull, maxNs: nsOrNull, longestCutNs: nsOrNull },
  ...percentiles,
});
export type FleetFunction = z.infer<typeof FleetFunction>;

/** How the average of a function differs between two builds or hosts. */
export const FleetGrowth = z.object({
  ...name,
  /** 0.5: half as much again. */
  growth: z.number(),
  /** Medians over the hosts of a build, or over the builds of a host. */
  fromAvgNs: nsOrNull,
  againstAvgNs: nsOrNull,
  /** The hosts that have both builds; 0: the medians of different hosts are compared. */
  pairs: count,
  /** All time of the function in the second group. */
  againstTotalNs: ns,
});
export type FleetGrowth = z.infer<typeof FleetGrowth>;

/** A host whose average of a function is unlike that of the others with the same build. */
export const FleetOutlier = z.object({
  ...name,
  build: z.string(),
  host: z.string(),
  hosts: count,
  avgNs: ns,
  /** Of all hosts with this build. */
  medianNs: ns,
  growth: z.number(),
  /** Distance from the median in standard deviations; null: most hosts agree exactly. */
  score: z.number().nullable(),
  totalNs: ns,
});
export type FleetOutlier = z.infer<typeof FleetOutlier>;

const cell = z.union([z.string(), z.number(), z.boolean()]).nullable();

export const FleetAnswer = z.object({
  ...head('ptflame-fleet'),
  /** What is counted; `totalNs`: wall time of all threads. */
  fleet: z.object({ recordings: count, hosts: count, builds: count, totalNs: ns }),
  /** Files in the folder that are not counted. */
  leftOut: z.array(z.object({ file: z.string(), reason: z.string() })),
  /** Each null unless it was asked. */
  functions: z.array(FleetFunction).nullable(),
  growth: z
    .object({ by: z.enum(['build', 'host']), from: z.string(), against: z.string(), rows: z.array(FleetGrowth) })
    .nullable(),
  outliers: z.array(FleetOutlier).nullable(),
  /** Numbers beyond 2^53 are texts. */
  sql: z.object({ columns: z.array(z.string()), rows: z.array(z.array(cell)) }).nullable(),
});
export type FleetAnswer = z.infer<typeof FleetAnswer>;

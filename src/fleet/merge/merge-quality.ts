/**
 * Adds up the quality of profiles.
 */
import { LongestGaps, LossKinds } from '../../analysis/losses.js';
import { compareUtf8 } from '../../model/names/utf8-order.js';
import { type DamagedLine, type InferenceName, noInferences, type Quality } from '../../model/profile/quality.js';
import { OtherSampleCounts } from '../../model/samples/sample-account.js';
import type { Tid } from '../../model/units.js';

const COUNTS = [
  ...(['lines', 'events', 'gapLines', 'ignoredLines', 'damagedLines', 'threadsCut', 'inferredEvents'] as const),
  ...(['clockSteps', 'unknownFlagLines', 'lostNs', 'inferredNs', 'hiddenNs', 'unknownNs', 'totalNs'] as const),
] as const satisfies readonly (keyof Quality)[];

/** As many as a profile file may have. */
const MAX_DAMAGED = 10;
const MAX_BROKEN = 2 ** 16;
const MAX_FLAGS = 100;

/** The quality of a profile, and the group of each of its threads. */
export interface GroupedQuality {
  readonly quality: Quality;
  readonly groupOf: ReadonlyMap<Tid, string>;
}

/** `tidOf`: the number of a group. Gaps keep their time within their own recording. */
export function mergedQuality(parts: readonly GroupedQuality[], tidOf: (group: string) => Tid): Quality {
  const all = parts.map(({ quality }) => quality);
  const sum = (numberOf: (quality: Quality) => number | undefined) =>
    all.reduce((total, quality) => total + (numberOf(quality) ?? 0), 0);
  const [sampleLines, mendedHits] = [sum((quality) => quality.sampleLines), sum((quality) => quality.mendedHits)];
  const others = new OtherSampleCounts();
  for (const { otherSamples = [] } of all) others.addAll(otherSamples);
  const otherSamples = others.build();
  const reasons = Object.keys(noInferences()) as InferenceName[];
  return {
    ...(Object.fromEntries(COUNTS.map((name) => [name, sum((quality) => quality[name])])) as Counts),
    ...(sampleLines > 0 && { sampleLines }),
    ...(otherSamples.length > 0 && { otherSamples }),
    ...(mendedHits > 0 && { mendedHits }),
    inferredCalls: Object.fromEntries(
      reasons.map((reason) => [reason, sum(({ inferredCalls }) => inferredCalls[reason])]),
    ) as Record<InferenceName, number>,
    firstDamaged: all
      .flatMap(({ firstDamaged }) => firstDamaged)
      .sort(byLine)
      .slice(0, MAX_DAMAGED),
    brokenInputs: all
      .flatMap(({ brokenInputs }) => brokenInputs)
      .sort(byInput)
      .slice(0, MAX_BROKEN),
    unknownFlags: [...new Set(all.flatMap(({ unknownFlags }) => unknownFlags))].sort().slice(0, MAX_FLAGS),
    losses: mergedLosses(all),
    gaps: mergedGaps(parts, tidOf),
  };
}

function byInput(a: { readonly input: string }, b: { readonly input: string }): number {
  return compareUtf8(a.input, b.input);
}

function byLine(a: DamagedLine, b: DamagedLine): number {
  return byInput(a, b) || a.line - b.line || compareUtf8(a.text, b.text);
}

type Counts = Pick<Quality, (typeof COUNTS)[number]>;

function mergedLosses(all: readonly Quality[]): Quality['losses'] {
  const losses = new LossKinds();
  for (const kind of all.flatMap((quality) => quality.losses)) losses.addKind(kind);
  return losses.build();
}

function mergedGaps(parts: readonly GroupedQuality[], tidOf: (group: string) => Tid): Quality['gaps'] {
  const gaps = new LongestGaps();
  for (const { quality, groupOf } of parts)
    for (const gap of quality.gaps) {
      const group = groupOf.get(gap.tid);
      if (group !== undefined) gaps.add({ ...gap, tid: tidOf(group) });
    }
  return gaps.build();
}

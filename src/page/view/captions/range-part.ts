/**
 * Describes a time range as a recording of its own, for files that are saved from it: its name, and what of it is lost or
 * inferred.
 */
import { overlaps } from '../../../analysis/log/filter-thread.js';
import { LossKinds } from '../../../analysis/losses.js';
import type { Bounds } from '../../../analysis/questions.js';
import { isLost, isStop } from '../../../analysis/tree/outside.js';
import { SymbolKind } from '../../../model/names/symbol-table.js';
import { noInferences, type Quality, type TraceGap } from '../../../model/profile/quality.js';
import type { Nanoseconds } from '../../../model/units.js';
import type { PageData } from '../../data/page-data.js';
import { momentText } from './time.js';

/** Returns ["1.20 ms", "3.40 ms"]. */
function endsOf({ startNs, endNs }: Bounds): readonly [from: string, to: string] {
  const text = (ns: Nanoseconds) => momentText(ns, (endNs - startNs) / 100, endNs);
  return [text(startNs), text(endNs)];
}

/** Returns the end of a file name: "-1.20ms-to-3.40ms". */
export function rangeFileName(range: Bounds): string {
  const [from, to] = endsOf(range).map((text) => text.replace(' ', '').replace('µ', 'u'));
  return `-${from}-to-${to}`;
}

/**
 * Returns the data of a range with the name and the quality of this part, like those of a window. What is not known by time:
 * why calls are inferred (all count as open at the start), which inferred time is around hidden jumps, and gaps beyond the
 * 10,000 longest. `data`: of the range (`RangeData`); threads that were not observed in it are left out.
 */
export function partOfRange(data: PageData, range: Bounds): PageData {
  const { meta, quality } = data;
  const [from, to] = endsOf(range);
  const part = `${meta.part === null ? '' : `${meta.part}, of that `}from +${from} to +${to}`;
  const threads = data.threads.filter(
    ({ startNs, endNs, calls }) => endNs > startNs || calls.some((count) => count > 0),
  );
  const sums = sumsOf(data);
  const losses = lossesIn(quality.gaps, meta);
  const lostNs = losses.gaps.reduce((sum, { lengthNs }) => sum + lengthNs, 0); // of short paths, too
  return {
    ...data,
    meta: { ...meta, part },
    threads: threads.map((thread) => ({ ...thread, hiddenNs: 0 })),
    quality: { ...quality, ...sums, ...losses, lostNs: Math.max(sums.lostNs, lostNs) },
  };
}

function lossesIn(gaps: readonly TraceGap[], bounds: Bounds): Pick<Quality, 'gaps' | 'losses' | 'threadsCut'> {
  const losses = new LossKinds();
  const within = gaps
    .filter(({ atNs, lengthNs }) => overlaps(bounds, atNs, atNs + lengthNs))
    .map((gap) => {
      const atNs = Math.max(gap.atNs, bounds.startNs);
      return { ...gap, atNs, lengthNs: Math.min(gap.atNs + gap.lengthNs, bounds.endNs) - atNs };
    });
  for (const gap of within) losses.add(gap);
  return { gaps: within, losses: losses.build(), threadsCut: new Set(within.map(({ tid }) => tid)).size };
}

function sumsOf({ threads, shape, symbols }: PageData) {
  const sums = { lostNs: 0, inferredNs: 0, hiddenNs: 0, unknownNs: 0, totalNs: 0 };
  const inferredCalls = noInferences();
  for (const { node, selfNs, inferredNs, inferredCalls: calls } of threads)
    for (let row = 0; row < node.length; row++) {
      const symbol = shape.symbol[node[row]];
      sums.totalNs += selfNs[row];
      sums.inferredNs += inferredNs[row];
      if (!isStop(symbol)) inferredCalls.OpenAtStart += calls[row];
      if (isLost(symbol)) sums.lostNs += selfNs[row];
      if (symbols.kind[symbol] === SymbolKind.Unknown) sums.unknownNs += selfNs[row];
    }
  return { ...sums, inferredCalls };
}

/**
 * Turns the values of a field into the answer that `ptflame values` prints.
 */

import type { Exact, ValueStats } from '../../analysis/values.js';
import { eachPercentileTitle } from '../../model/percentiles.js';
import { clockText, PRODUCER, qualityOf, rounded } from '../common.js';
import { FORMATS_REMEDY } from '../waits/missing.js';
import { waitPlace } from '../waits/wait-names.js';
import type { ValuesResult } from './ask-values.js';
import type { ValueStatistics, ValuesAnswer } from './schema.js';

export function valuesAnswer(result: ValuesResult): ValuesAnswer {
  const { event, field, values, seen, without, histogram, profile, symbols, functions } = result;
  const { style } = values;
  const statsOf = (stats: ValueStats) => statistics(stats, style === 'hexadecimal');
  return {
    format: 'ptflame-values',
    version: 2,
    producer: PRODUCER,
    seen: seen && { start: clockText(result, seen.startNs), durationNs: seen.endNs - seen.startNs },
    ...{ event, field, without, histogram: [...histogram] },
    style: values.numbers === null ? 'text' : style,
    missing: missingOf(result),
    stats: statsOf(result.stats),
    values: result.counts.map(({ row, samples, threads }) => ({ value: values.textOf(row), samples, threads })),
    threads: result.threads.map((stats) => {
      const { tid, pid, comm } = result.directory.of(stats.tid);
      return { tid, pid, comm, stats: statsOf(stats) };
    }),
    functions:
      functions === null ? null : functions.map((stats) => ({ ...waitPlace(symbols, stats), stats: statsOf(stats) })),
    quality: profile && qualityOf(profile),
  };
}

function statistics({ samples, distinct, range }: ValueStats, isHexadecimal: boolean): ValueStatistics {
  if (range === null) return { samples, distinct, avg: null, min: null, ...eachPercentileTitle(() => null), max: null };
  const exact = (value: Exact) =>
    typeof value === 'number' ? value : isHexadecimal ? `0x${value.toString(16)}` : String(value);
  return {
    ...{ samples, distinct, avg: rounded(range.avg), min: exact(range.min) },
    ...eachPercentileTitle(({ title }) => exact(range[title])),
    max: exact(range.max),
  };
}

function missingOf({ account }: ValuesResult): ValuesAnswer['missing'] {
  const lost = account.sides.reduce((sum, side) => sum + side.lost, account.samples.lost);
  const { unreadable, damaged } = account.samples;
  const all: [number, string, string | null][] = [
    [lost, `${lost} samples were lost`, 'record less, or with a larger buffer (-m)'],
    [unreadable, `${unreadable} samples have an unknown format`, FORMATS_REMEDY],
    [damaged, `${damaged} samples are damaged`, null],
  ];
  return all.filter(([count]) => count > 0).map(([, what, remedy]) => ({ what, remedy }));
}

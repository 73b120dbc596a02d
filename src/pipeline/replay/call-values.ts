/**
 * Arguments and results of calls between probes, from the samples at which they begin and end.
 */
import type { CallValue } from '../../analysis/calls/calls-answer.js';
import { countBelow } from '../../model/columns.js';
import { type SampleTable, tableOf } from '../../model/sample-table.js';
import type { Nanoseconds, Tid } from '../../model/units.js';
import { RETURN_SUFFIX, STACK_POINTER } from '../read/probed-calls.js';
import { argumentsOf } from './find-functions.js';

export class CallValues {
  private constructor(
    private readonly entries: readonly SampleTable[],
    private readonly returns: readonly SampleTable[],
  ) {}

  /** Returns null if no calls are between probes. */
  static of(samples: readonly SampleTable[]): CallValues | null {
    const entries = samples.filter(({ event }) => tableOf(samples, `${event}${RETURN_SUFFIX}`) !== null);
    const returns = samples.filter(({ event }) => event.endsWith(RETURN_SUFFIX));
    return entries.length === 0 ? null : new CallValues(entries, returns);
  }

  /** Times are exactly those of the samples. */
  valuesOf(tid: Tid, startNs: Nanoseconds, endNs: Nanoseconds): CallValue[] {
    return [
      ...this.entries.flatMap((table) => valuesAt(table, tid, startNs, 'entry')),
      ...this.returns.flatMap((table) => valuesAt(table, tid, endNs, 'return')),
    ];
  }
}

function valuesAt(table: SampleTable, tid: Tid, atNs: Nanoseconds, at: CallValue['at']): CallValue[] {
  const names = argumentsOf(table).filter((name) => name !== STACK_POINTER);
  for (let row = countBelow(table.timeNs, atNs); table.timeNs[row] === atNs; row++)
    if (table.tid[row] === tid)
      return names.flatMap((name) => {
        const value = valueText(table, name, row);
        return value === null ? [] : [{ at, name, value }];
      });
  return [];
}

/** As perf prints it; null: the sample does not have it. */
function valueText({ fields }: SampleTable, name: string, row: number): string | null {
  const field = fields.find((each) => each.name === name);
  if (field === undefined) return null;
  if (field.texts !== null) return field.texts[row] || null;
  const value = field.numbers[row];
  if (Number.isNaN(value)) return null;
  return field.style === 'hexadecimal' ? `0x${BigInt.asUintN(64, BigInt(value)).toString(16)}` : String(value);
}

/**
 * Tells why a call was slow: what the CPU and the kernel did in it, next to what is typical.
 */
import { PtflameError } from '../../src/model/errors.js';
import type { TriggeringCall } from '../../src/page/contents/page-trigger.js';
import { askLatency } from '../../src/pipeline/analyze.js';
import { latencyAnswer } from '../../src/questions/latency/answer.js';
import type { CallCounts, Latency, SlowCall } from '../../src/questions/latency/schema.js';
import { formatAverageCount, formatDuration } from '../../src/render/format.js';
import type { CommandInput } from '../input/open-inputs.js';
import { requireTraces, withProgress } from '../input/traces.js';
import { UNKNOWN } from './cells.js';

export interface CountRow {
  readonly name: string;
  readonly own: string;
  readonly usual: string;
}

/** What the CPU did, as far as it is known: instructions, cycles, iterations, and how fast it was clocked. */
export function countRows({ counts }: SlowCall, typical: Latency['typical']): CountRow[] {
  if (counts === undefined) return [];
  const cell = (value: number | null | undefined, unit = '') => {
    return value === null || value === undefined ? UNKNOWN : `${formatAverageCount(value)}${unit}`;
  };
  const row = (name: string, of: (each: CallCounts) => number | null, unit?: string) => {
    const usual = cell(typical && of(typical), unit);
    return of(counts) === null ? [] : [{ name, own: cell(of(counts), unit), usual }];
  };
  return [
    ...row('instructions', ({ instructions }) => instructions),
    ...row('cycles', ({ cycles }) => cycles),
    ...row('instructions per cycle', ({ ipc }) => ipc),
    ...row('iterations of its hottest loop', ({ iterations }) => iterations),
    ...row('mean frequency', ({ meanMhz }) => meanMhz, ' MHz'),
    ...row('lowest frequency', ({ minMhz }) => minMhz, ' MHz'),
  ];
}

/** More are looked at only if they lasted longer. */
const SLOWEST = 5;

/** Returns sentences about the call that a snapshot was taken of; an empty text: nothing is known. Reads the inputs once more. */
export async function whySlow(
  call: TriggeringCall,
  inputs: readonly CommandInput[],
  options: Parameters<typeof withProgress>[1],
  signal: AbortSignal,
): Promise<string> {
  const traces = await requireTraces(inputs);
  const asked = { functions: call.name, slowest: SLOWEST };
  try {
    const { profile, calls, functions } = await withProgress(traces, options, signal, (analyzing) =>
      askLatency(traces, asked, { ...analyzing, trees: 'together', durations: true }),
    );
    const originNs = Number(profile.meta.originNs);
    const row = calls.slowest.findIndex(({ tid, startNs, durationNs }) => {
      const [fromNs, toNs] = [originNs + startNs, originNs + startNs + durationNs];
      const sharedNs = Math.min(toNs, call.endNs) - Math.max(fromNs, call.startNs);
      return tid === call.tid && sharedNs > (call.endNs - call.startNs) / 2;
    });
    const { slowest, typical } = latencyAnswer(profile, calls, functions);
    const found = slowest[row];
    return found === undefined ? '' : whyText(found, typical);
  } catch (error) {
    if (error instanceof PtflameError && error.code === 'NO_SUCH_FUNCTION') return ''; // the trace has another name for it
    throw error;
  }
}

/** " It took 461 instructions (typically 121), 699 cycles (189). In the kernel: 2 interrupts for 28.2 µs (on average 0.19 for 2.42 µs)." */
export function whyText(call: SlowCall, typical: Latency['typical']): string {
  const rows = countRows(call, typical).map(({ name, own, usual }) => [`${own} ${name}`, usual] as const);
  const cell = (count: number, name: string, ns: number | null) =>
    `${formatAverageCount(count)}${name}${ns === null ? '' : ` for ${formatDuration(ns)}`}`;
  const work = (call.work ?? [])
    .filter(({ count, averageCount }) => count > 0 || averageCount > 0)
    .map(({ kind, count, ns, averageCount, averageNs }) => {
      const name = count === 1 ? kind.slice(0, -1) : kind;
      return [cell(count, ` ${name}`, ns), cell(averageCount, '', averageNs)] as const;
    });
  return (
    sentence('It took', rows, typical === undefined ? undefined : 'typically ') +
    sentence('In the kernel:', work, 'on average ')
  );
}

/** `usually`: what the first number in brackets is; undefined: there are none. */
function sentence(begin: string, rows: readonly (readonly [string, string])[], usually: string | undefined): string {
  if (rows.length === 0) return '';
  const parts = rows.map(([own, usual], at) =>
    usually === undefined ? own : `${own} (${at === 0 ? usually : ''}${usual})`,
  );
  return ` ${begin} ${parts.join(', ')}.`;
}

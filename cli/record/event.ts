/**
 * Builds the event for `perf record -e`: the terms of Intel PT, checked against what the CPU supports.
 */
import { PtflameError } from '../../src/model/errors.js';
import type { RecordOptions } from '../options/record.js';
import type { PmuCaps } from './machine/probe.js';

/** What --dry-run assumes on a machine without Intel PT: a CPU of the last ten years. */
export const ASSUMED_CAPS: PmuCaps = {
  psbCyc: true,
  mtc: true,
  ipFiltering: true,
  mtcPeriods: 0xffff,
  cycleThresholds: 0xffff,
  psbPeriods: 0xffff,
};

/** Returns, for example, "intel_pt/cyc=1,mtc_period=0/u". */
export function ptEvent(options: RecordOptions, caps: PmuCaps): string {
  const scope = options.kernel ? '' : 'u';
  return `intel_pt/${terms(options, caps).join(',')}/${scope}`;
}

/** Returns whether times will be cycle-accurate. */
export function hasCycles({ cyc, noCyc }: RecordOptions, caps: PmuCaps): boolean {
  if (cyc && !caps.psbCyc)
    throw new PtflameError('NOT_OFFERED', 'this CPU has no cycle-accurate times (caps/psb_cyc is 0)', {
      hint: 'omit --cyc: times are then accurate to about a microsecond',
    });
  return caps.psbCyc && !noCyc;
}

function terms(options: RecordOptions, caps: PmuCaps): string[] {
  const { cycThresh, mtcPeriod, psbPeriod, noretcomp } = options;
  const cycles = hasCycles(options, caps);
  if (cycThresh !== undefined && !cycles) throw needsCycles();
  return [
    ...(cycles ? ['cyc=1'] : []),
    ...term('cyc_thresh', cycThresh, caps.cycleThresholds),
    ...term('mtc_period', mtcPeriod ?? (cycles ? finestMtcPeriod(caps) : undefined), caps.mtcPeriods),
    ...term('psb_period', psbPeriod, caps.psbPeriods),
    ...(noretcomp ? ['noretcomp=1'] : []),
  ];
}

/** With cycle packets, MTC only ties cycles to wall-clock time; the finest period does so soonest after a loss. */
function finestMtcPeriod(caps: PmuCaps): number | undefined {
  return caps.mtc && (caps.mtcPeriods & 1) === 1 ? 0 : undefined;
}

function term(name: string, value: number | undefined, offered: number): string[] {
  if (value === undefined) return [];
  if (((offered >> value) & 1) === 1) return [`${name}=${value}`];
  const flag = `--${name.replace('_', '-')}`;
  const values = Array.from({ length: 16 }, (_, bit) => bit).filter((bit) => ((offered >> bit) & 1) === 1);
  const hint =
    values.length === 0 ? `omit ${flag}: this CPU supports no value` : `values of ${flag}: ${values.join(', ')}`;
  throw new PtflameError('NOT_OFFERED', `this CPU does not support ${name}=${value}`, { hint });
}

function needsCycles(): PtflameError {
  return new PtflameError('NOT_OFFERED', '--cyc-thresh needs cycle-accurate times, which are off', {
    hint: 'omit --no-cyc; if the CPU has no cycle-accurate times, omit --cyc-thresh',
  });
}

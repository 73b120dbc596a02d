/**
 * The event that perf is asked for: the terms of Intel PT, checked against what the CPU offers.
 */
import { PtflameError } from '../../../src/text.js';
import type { RecordOptions } from '../../options/record.js';
import type { PmuCaps } from '../machine/probe.js';

/** What --dry-run takes for granted where there is no Intel PT to ask: a CPU of the last ten years. */
export const ASSUMED_CAPS: PmuCaps = {
  psbCyc: true,
  mtc: true,
  ipFiltering: true,
  mtcPeriods: 0xffff,
  cycleThresholds: 0xffff,
  psbPeriods: 0xffff,
};

/** "intel_pt/cyc=1,mtc_period=0/u". */
export function ptEvent(options: RecordOptions, caps: PmuCaps): string {
  const scope = options.kernel ? '' : 'u';
  return `intel_pt/${terms(options, caps).join(',')}/${scope}`;
}

/** Whether times are exact to some cycles. */
export function hasCycles({ cyc, noCyc }: RecordOptions, caps: PmuCaps): boolean {
  if (cyc && !caps.psbCyc)
    throw new PtflameError('NOT_OFFERED', 'this CPU has no cycle-accurate times (caps/psb_cyc is 0)', {
      hint: 'leave out --cyc: times are then exact to about a microsecond',
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

/** Beside cycles the coarse clock only ties them to the time of day; the finest one does so at once after a loss. */
function finestMtcPeriod(caps: PmuCaps): number | undefined {
  return caps.mtc && (caps.mtcPeriods & 1) === 1 ? 0 : undefined;
}

function term(name: string, value: number | undefined, offered: number): string[] {
  if (value === undefined) return [];
  if (((offered >> value) & 1) === 1) return [`${name}=${value}`];
  const flag = `--${name.replace('_', '-')}`;
  const values = Array.from({ length: 16 }, (_, bit) => bit).filter((bit) => ((offered >> bit) & 1) === 1);
  const hint = values.length === 0 ? `leave out ${flag}: it has none` : `${flag} may be ${values.join(', ')}`;
  throw new PtflameError('NOT_OFFERED', `this CPU does not offer ${name}=${value}`, { hint });
}

function needsCycles(): PtflameError {
  return new PtflameError('NOT_OFFERED', '--cyc-thresh is of cycle-accurate times, which are off', {
    hint: 'leave out --no-cyc, or --cyc-thresh if the CPU has none',
  });
}

/**
 * Reads how Intel PT was set up, from a record of perf (AUXTRACE_INFO) that is a list of numbers.
 */

import type { TraceTiming } from '../model/trace/perf-time.js';
import type { Attribute, Attributes } from './attributes.js';
import { textOf } from './file-parts.js';
import type { TraceEncoding, TraceSettings } from './recording.js';
import type { FileRecord } from './walk.js';

const INTEL_PT = 1;
const NUMBERS_AT = 16;

/** Indexes into the list; older versions of perf write fewer numbers. */
const Setting = {
  UnitType: 0,
  TimeShift: 1,
  TimeMult: 2,
  TimeZero: 3,
  TimeIsKnown: 4,
  TimeBit: 5,
  Switches: 7,
  IsSnapshot: 8,
  IsPerCpu: 9,
  MtcBit: 10,
  MtcPeriodBits: 11,
  CtcNumerator: 12,
  CtcDenominator: 13,
  CyclesBit: 14,
  MaxBusRatio: 15,
  FilterBytes: 16,
} as const;
const SWITCHES = ['none', 'tracepoint', 'own', 'all'] as const;

/** The contents of the record, which comes before everything needed to interpret it. */
export interface TraceInfo {
  readonly unitType: number;
  readonly numbers: readonly bigint[];
  readonly filter: string;
}

/** Returns null for other kinds of trace. */
export function readTraceInfo({ view, at, end }: FileRecord): TraceInfo | null {
  if (view.getUint32(at + 8, true) !== INTEL_PT) return null;
  const count = Math.min(Math.floor((end - at - NUMBERS_AT) / 8), Setting.FilterBytes + 1);
  const numbers = Array.from({ length: count }, (_, row) => view.getBigUint64(at + NUMBERS_AT + 8 * row, true));
  const filterAt = at + NUMBERS_AT + 8 * (Setting.FilterBytes + 1);
  const filterBytes = Math.min(Number(numbers[Setting.FilterBytes] ?? 0n), Math.max(0, end - filterAt));
  const filter = filterBytes === 0 ? '' : textOf(new DataView(view.buffer, view.byteOffset + filterAt, filterBytes));
  return { unitType: Number(numbers[Setting.UnitType] ?? -1n), numbers, filter };
}

export function traceSettings(info: TraceInfo, { all }: Attributes): TraceSettings {
  const { numbers, filter } = info;
  const traced = attributeOf(info, all);
  const isOn = (setting: number) => (numbers[setting] ?? 0n) !== 0n;
  const isConfigured = (setting: number) => ((traced?.config ?? 0n) & (numbers[setting] ?? 0n)) !== 0n;
  return {
    isPerCpu: isOn(Setting.IsPerCpu),
    isSnapshot: isOn(Setting.IsSnapshot),
    hasTime: isOn(Setting.TimeIsKnown) && isConfigured(Setting.TimeBit) && all.every(hasTimes),
    hasCycles: isConfigured(Setting.CyclesBit),
    hasKernel: traced?.hasKernel ?? false,
    switches: SWITCHES[Number(numbers[Setting.Switches] ?? 0n)] ?? 'none',
    filter,
  };
}

export function traceEncoding(info: TraceInfo, { all }: Attributes): TraceEncoding {
  const config = attributeOf(info, all)?.config ?? 0n;
  const hasClock = (info.numbers[Setting.TimeIsKnown] ?? 0n) !== 0n;
  const hasTraceInSamples = all.some((attribute) => attribute.hasTraceInSamples);
  const hasPebs = all.some(({ isInTrace }) => isInTrace);
  return { timing: hasClock ? timingOf(info, config) : null, config, hasTraceInSamples, hasPebs };
}

const BUS_CLOCK_HZ = 1e8;
/** It has eight bits in the CPU: MSR_PLATFORM_INFO, and CBR packets. */
const MAX_BUS_RATIO = 255;

/** Where it is missing, or none that a CPU can have, perf's rule: TSC ticks per 10 ns, rounded. */
function maxBusRatio(recorded: number, ticksPerSecond: number): number {
  if (recorded > 0 && recorded <= MAX_BUS_RATIO) return recorded;
  return Math.min(Math.round(ticksPerSecond / BUS_CLOCK_HZ), MAX_BUS_RATIO);
}

function timingOf({ numbers }: TraceInfo, config: bigint): TraceTiming | null {
  const number = (index: number) => Number(numbers[index] ?? 0n);
  const mult = numbers[Setting.TimeMult] ?? 0n;
  const shift = number(Setting.TimeShift);
  if (mult === 0n || shift > MAX_SHIFT) return null;
  return {
    shift,
    mult,
    zero: numbers[Setting.TimeZero] ?? 0n,
    mtcPeriod: config & (numbers[Setting.MtcBit] ?? 0n) ? field(config, numbers[Setting.MtcPeriodBits] ?? 0n) : 0,
    ctcNumerator: number(Setting.CtcNumerator),
    ctcDenominator: number(Setting.CtcDenominator),
    maxBusRatio: maxBusRatio(number(Setting.MaxBusRatio), (2 ** shift * 1e9) / Number(mult)),
  };
}

const MAX_SHIFT = 63;

/** Returns the number that some adjacent bits of a configuration form. */
function field(config: bigint, bits: bigint): number {
  if (bits === 0n) return 0;
  const lowest = bits & -bits;
  return Number((config & bits) / lowest);
}

export function attributeOf({ unitType }: Pick<TraceInfo, 'unitType'>, all: readonly Attribute[]): Attribute | null {
  return all.find(({ type }) => type === unitType) ?? null;
}

function hasTimes({ trailer }: Attribute): boolean {
  return trailer !== null && trailer.time !== 0;
}

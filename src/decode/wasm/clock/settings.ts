/**
 * How the clocks of the recorded CPU relate. A tick of the core crystal clock (CTC) is `ctcNumerator / ctcDenominator` ticks
 * of the TSC.
 */
export let mtcPeriod: u32 = 0;
let ctcNumerator: u64 = 0;
let ctcDenominator: u64 = 1;
let isWholeRatio: bool = false;
/** TSC ticks per tick of the bus clock. */
export let maxBusRatio: u64 = 1;

export function setTiming(period: u32, numerator: u32, denominator: u32, maxRatio: u32): void {
  mtcPeriod = period;
  ctcNumerator = numerator;
  ctcDenominator = denominator === 0 ? 1 : denominator;
  isWholeRatio = ctcNumerator % ctcDenominator === 0;
  maxBusRatio = maxRatio;
}

/** As perf rounds. */
export function ticksOf(ctc: u64): u64 {
  if (isWholeRatio) return ctc * (ctcNumerator / ctcDenominator);
  return (ctc / ctcDenominator) * ctcNumerator + ((ctc % ctcDenominator) * ctcNumerator) / ctcDenominator;
}

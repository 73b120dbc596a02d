/**
 * Recordings whose trace is encoded anew: with other settings, or other packets.
 */

import { buffersOf, type RawRecording, withBuffers, withConfig, withSettings } from '../perf/rewrite.js';
import { type CrystalClock, Encoder, type EncoderOptions, type Instruction } from './encoder.js';

/** Of the configuration (IA32_RTIT_CTL) and of AUXTRACE_INFO. */
const MTC_BIT = 1n << 9n;
const PERIOD_AT = 14n;
const PERIOD_BITS = 15n << PERIOD_AT;
const CTC_NUMERATOR = 12;
const CTC_DENOMINATOR = 13;

/** The recording with the settings of such a clock. */
export function withClock(
  recording: RawRecording,
  unitType: number,
  { period, numerator, denominator }: CrystalClock,
): RawRecording {
  const change = (config: bigint) => (config & ~PERIOD_BITS) | MTC_BIT | (BigInt(period) << PERIOD_AT);
  const settings = { [CTC_NUMERATOR]: numerator, [CTC_DENOMINATOR]: denominator };
  return withSettings(withConfig(recording, unitType, change), settings);
}

/** The recording with these instructions as its trace. */
export function reencoded(
  recording: RawRecording,
  instructions: ReadonlyMap<number, readonly Instruction[]>,
  options: EncoderOptions,
): RawRecording {
  const before = buffersOf(recording);
  const buffers = [...instructions].flatMap(([cpu, own]) => {
    const first = before.find((buffer) => buffer.cpu === cpu);
    const trace = new Encoder(options).encode(own);
    return first === undefined
      ? []
      : [{ ...first, offset: 0, trace: Buffer.concat([trace, Buffer.alloc(-trace.length & 7)]) }];
  });
  return withBuffers(recording, buffers);
}

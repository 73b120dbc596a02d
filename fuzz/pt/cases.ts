/**
 * Generated cases: settings of a recording, a program, and streams of packets about it, mostly damaged.
 */
import type { Random } from '../random.js';
import { damage } from './damage.js';
import { type Bytes, PSBEND } from './packets.js';
import type { Program } from './program.js';
import type { TracePiece, TraceSettings } from './recording.js';
import { StreamWriter } from './streams.js';

/** The trace of a case: records of packets; and its first time. */
export interface Case {
  readonly tick: bigint;
  readonly pieces: readonly (readonly Bytes[])[];
}

export function randomSettings(random: Random): TraceSettings {
  const [ctcNumerator, ctcDenominator] = random.pick([
    [250, 2],
    [250, 2],
    [168, 2],
    [25, 3],
  ]) as [number, number];
  return {
    shift: 31,
    mult: 715827882,
    zero: 17_000_000_000,
    mtcPeriod: random.pick([3, 3, 3, 0, 6, 9, -1]),
    ctcNumerator,
    ctcDenominator,
    maxBusRatio: random.pick([30, 30, 21]),
  };
}

/** A case cut into records, anywhere. */
function cut(random: Random, stream: readonly Bytes[]): Bytes[][] {
  if (stream.length === 0 || !random.oneIn(6)) return [[...stream]];
  const at = random.below(stream.length);
  const packet = stream[at] as Bytes;
  const inside = random.below(packet.length);
  return [
    [...stream.slice(0, at), packet.slice(0, inside)],
    [packet.slice(inside), ...stream.slice(at + 1)],
  ];
}

/** The case of a number; `row`: which one of its recording it is. */
export function randomCase(own: Random, row: number, program: Program, settings: TraceSettings): Case {
  const tick = BigInt(row + 2) << 30n;
  const stream = new StreamWriter(own, program, settings, tick).write(1 + own.below(own.pick([4, 20, 60])));
  const anywhere = () => own.pick(program.starts);
  const kept = own.oneIn(20) ? 0 : Math.max(0, stream.indexOf(PSBEND) + 1); // of a damaged first PSB+ perf crashes
  const damaged = [...stream.slice(0, kept), ...damage(own, stream.slice(kept), anywhere, tick)];
  return { tick, pieces: cut(own, damaged) };
}

/** Returns the records of a case, one after the other in the trace of a CPU. */
export function placedPieces({ tick, pieces }: Case, cpu: number): TracePiece[] {
  let offset = 0;
  return pieces.map((packets) => {
    const bytes = packets.flat();
    offset += bytes.length;
    return { cpu, offset: offset - bytes.length, reference: tick, bytes };
  });
}

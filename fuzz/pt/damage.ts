/**
 * Damages streams of packets: packets left out, repeated, replaced, and flipped bits.
 */
import type { Random } from '../random.js';
import type { Bytes } from './packets.js';
import * as packets from './packets.js';

/** Changes some packets or bytes of a stream; most often none or one. */
export function damage(random: Random, stream: Bytes[], ip: () => number, tick: bigint): Bytes[] {
  const out = [...stream];
  for (let changes = random.pick([0, 0, 1, 1, 1, 2, 3, 6]); changes > 0; changes--) {
    if (out.length === 0) break;
    const at = random.below(out.length);
    switch (random.below(7)) {
      case 0:
        out.splice(at, 1 + random.below(random.pick([1, 3, 20])));
        break;
      case 1:
        out.splice(at, 0, out[random.below(out.length)] ?? packets.PAD);
        break;
      case 2:
        out.splice(at, 0, randomPacket(random, ip(), tick));
        break;
      case 3:
        out[at] = randomPacket(random, ip(), tick);
        break;
      case 4:
        out.splice(at, 0, [random.below(256)]);
        break;
      default:
        flipBit(random, out, at);
    }
  }
  return out;
}

function flipBit(random: Random, out: Bytes[], at: number): void {
  const bytes = [...(out[at] ?? [])];
  const byte = random.below(bytes.length);
  bytes[byte] = (bytes[byte] ?? 0) ^ (1 << random.below(8));
  out[at] = bytes;
}

const ANY_ADDRESS = [packets.TIP, packets.TIP, packets.FUP, packets.FUP, packets.PGE, packets.PGD];
const ANY_COMPRESSION = [0, 1, 1, 2, 3, 4, 5, 6, 7];

export function randomPacket(random: Random, ip: number, tick: bigint): Bytes {
  switch (random.below(14)) {
    case 0:
    case 1:
    case 2:
    case 3:
      return packets.addressPacket(random.pick(ANY_ADDRESS), ip, random.pick(ANY_COMPRESSION));
    case 4:
      return packets.tnt(Array.from({ length: 1 + random.below(6) }, () => random.below(2)));
    case 5:
      return packets.longTnt(Array.from({ length: random.below(48) }, () => random.below(2)));
    case 6:
      return packets.tsc(
        tick + BigInt(random.below(random.pick([10, 1000, 100_000, 20_000_000]))) - BigInt(random.below(2000)),
      );
    case 7:
      return packets.tma(random.below(65536), random.below(512));
    case 8:
      return packets.mtc(random.below(256));
    case 9:
      return packets.cbr(random.pick([0, 8, 30, 42, random.below(256)]));
    case 10:
      return packets.cyc(random.below(random.pick([5, 40, 5000])));
    case 11:
      return random.pick([packets.OVF, packets.PSB, packets.PSBEND, packets.TRACE_STOP]);
    case 12:
      return [0x02, random.below(256)];
    default:
      return [random.below(256)];
  }
}

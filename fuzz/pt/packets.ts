/**
 * Packets of Intel PT as bytes (Intel SDM volume 3, "Intel Processor Trace", packet definitions).
 */
export type Bytes = readonly number[];

export const PSB: Bytes = Array.from({ length: 16 }, (_, at) => (at % 2 === 0 ? 0x02 : 0x82));
export const PSBEND: Bytes = [0x02, 0x23];
export const OVF: Bytes = [0x02, 0xf3];
export const TRACE_STOP: Bytes = [0x02, 0x83];
export const PAD: Bytes = [0];

export const TIP = 0x0d;
export const PGE = 0x11;
export const PGD = 0x01;
export const FUP = 0x1d;

/** How an address is written: not at all, its low 2, 4 or 6 bytes, 6 bytes with sign, all 8. */
export const NO_IP = 0;
export const LOW_2 = 1;
export const LOW_4 = 2;
export const SIGNED_6 = 3;
export const LOW_6 = 4;
export const FULL_8 = 6;
const BYTES_OF = [0, 2, 4, 6, 6, 0, 8, 0];

export function littleEndian(value: bigint, bytes: number): number[] {
  return Array.from({ length: bytes }, (_, at) => Number((value >> BigInt(8 * at)) & 0xffn));
}

export function addressPacket(what: number, ip: number | bigint, compression: number): Bytes {
  return [what | (compression << 5), ...littleEndian(BigInt(ip), BYTES_OF[compression] as number)];
}

/** Taken (1) and not taken (0) branches, the first one first: up to 6. */
export function tnt(bits: readonly number[]): Bytes {
  return [bits.reduce((value, bit) => value * 2 + bit, 1) * 2];
}

/** Up to 47 bits. */
export function longTnt(bits: readonly number[]): Bytes {
  const value = bits.reduce((sum, bit) => sum * 2n + BigInt(bit), 1n);
  return [0x02, 0xa3, ...littleEndian(value, 6)];
}

export function tsc(tick: bigint): Bytes {
  return [0x19, ...littleEndian(tick, 7)];
}

export function tma(ctc: number, fast: number): Bytes {
  return [0x02, 0x73, ...littleEndian(BigInt(ctc), 2), 0, fast & 0xff, (fast >> 8) & 1];
}

export function mtc(ctc: number): Bytes {
  return [0x59, ctc & 0xff];
}

export function cbr(ratio: number): Bytes {
  return [0x02, 0x03, ratio, 0];
}

export function cyc(cycles: number): Bytes {
  const bytes = [0x03 | ((cycles & 31) << 3) | (cycles > 31 ? 4 : 0)];
  for (let rest = Math.floor(cycles / 32); rest > 0; rest = Math.floor(rest / 128))
    bytes.push((rest % 128) * 2 + (rest > 127 ? 1 : 0));
  return bytes;
}

export const MODE_EXEC_64: Bytes = [0x99, 0x01];

/**
 * Splits a trace into its packets (Intel SDM volume 3, "Intel Processor Trace", packet definitions).
 */

export type PacketKind =
  | 'psb'
  | 'psbend'
  | 'tsc'
  | 'tma'
  | 'mtc'
  | 'cyc'
  | 'cbr'
  | 'tip'
  | 'pge'
  | 'pgd'
  | 'fup'
  | 'tnt'
  | 'ovf'
  | 'other';

export interface Packet {
  readonly kind: PacketKind;
  readonly bytes: Buffer;
  /** Of packets with an address: all of it; null: none. */
  readonly ip: bigint | null;
}

const IP_BYTES = [0, 2, 4, 6, 6, 0, 8, 0];
const ADDRESSES: ReadonlyMap<number, PacketKind> = new Map([
  [0x0d, 'tip'],
  [0x11, 'pge'],
  [0x01, 'pgd'],
  [0x1d, 'fup'],
]);
/** Kind and size by the second byte of those that begin with 02. */
const EXTENDED: ReadonlyMap<number, readonly [PacketKind, number]> = new Map([
  [0x82, ['psb', 16]],
  [0x23, ['psbend', 2]],
  [0xf3, ['ovf', 2]],
  [0x83, ['other', 2]],
  [0x03, ['cbr', 4]],
  [0x73, ['tma', 7]],
  [0xa3, ['tnt', 8]],
  [0x43, ['other', 8]],
  [0x12, ['other', 6]], // PTWRITE
  [0x32, ['other', 10]],
  [0x92, ['other', 6]],
  [0xb2, ['other', 10]],
  [0x62, ['other', 2]], // EXSTOP
  [0xe2, ['other', 2]],
]);

export function splitPackets(trace: Buffer): Packet[] {
  const packets: Packet[] = [];
  let lastIp = 0n;
  for (let at = 0; at < trace.length; ) {
    const [kind, size] = kindAt(trace, at);
    const bytes = trace.subarray(at, at + size);
    const hasIp = ['tip', 'pge', 'pgd', 'fup'].includes(kind) && size > 1;
    if (kind === 'psb') lastIp = 0n;
    if (hasIp) lastIp = addressOf(bytes, lastIp);
    packets.push({ kind, bytes, ip: hasIp ? lastIp : null });
    at += size;
  }
  return packets;
}

function kindAt(trace: Buffer, at: number): readonly [PacketKind, number] {
  const byte = trace[at] as number;
  if (byte === 2) return EXTENDED.get(trace[at + 1] as number) ?? unknown(trace, at);
  if ((byte & 3) === 3) return ['cyc', cycBytes(trace, at)];
  if ((byte & 1) === 0) return [byte === 0 ? 'other' : 'tnt', 1];
  if (byte === 0x59) return ['mtc', 2];
  if (byte === 0x19) return ['tsc', 8];
  if (byte === 0x99) return ['other', 2];
  const kind = ADDRESSES.get(byte & 0x1f);
  return kind === undefined ? unknown(trace, at) : [kind, 1 + (IP_BYTES[byte >> 5] as number)];
}

function unknown(trace: Buffer, at: number): never {
  throw new Error(`an unknown packet at byte ${at}: ${trace.subarray(at, at + 8).toString('hex')}`);
}

function cycBytes(trace: Buffer, at: number): number {
  if (((trace[at] as number) & 4) === 0) return 1;
  let size = 2;
  while ((trace[at + size - 1] as number) & 1) size++;
  return size;
}

export function cyclesOf({ bytes }: Packet): number {
  let cycles = (bytes[0] as number) >> 3;
  for (let at = 1; at < bytes.length; at++) cycles += ((bytes[at] as number) >> 1) * 2 ** (5 + 7 * (at - 1));
  return cycles;
}

function addressOf(bytes: Buffer, last: bigint): bigint {
  const low = littleEndian(bytes.subarray(1));
  const bits = BigInt(8 * (bytes.length - 1));
  if ((bytes[0] as number) >> 5 === 3) return BigInt.asUintN(64, BigInt.asIntN(48, low));
  return ((last >> bits) << bits) | low;
}

export function littleEndian(bytes: Uint8Array): bigint {
  return bytes.reduceRight((value, byte) => value * 256n + BigInt(byte), 0n);
}

/**
 * Bytes of trace as text, a packet a line.
 */
import type { Bytes } from './packets.js';

const EXTENDED: Readonly<Record<number, readonly [string, number]>> = {
  130: ['PSB', 16],
  35: ['PSBEND', 2],
  243: ['OVF', 2],
  131: ['TraceStop', 2],
  3: ['CBR', 4],
  115: ['TMA', 7],
  163: ['TNT', 8],
  67: ['PIP', 8],
};
const ADDRESS: Readonly<Record<number, string>> = { 13: 'TIP', 17: 'PGE', 1: 'PGD', 29: 'FUP' };
const IP_BYTES = [0, 2, 4, 6, 6, -1, 8, -1];

export function describe(pieces: readonly Bytes[]): string[] {
  const lines: string[] = [];
  for (const [row, bytes] of pieces.entries()) {
    if (row > 0) lines.push('=== next record');
    for (let at = 0; at < bytes.length; ) {
      const [name, size] = packet(bytes, at);
      if (name !== 'PAD') lines.push(`${at} ${name}`);
      at += size;
    }
  }
  return lines;
}

function hex(bytes: Bytes): string {
  return Buffer.from([...bytes].reverse()).toString('hex');
}

function bits(value: bigint): string {
  return [...value.toString(2).slice(1)].map((bit) => (bit === '1' ? 'T' : 'N')).join('');
}

function packet(bytes: Bytes, at: number): readonly [string, number] {
  const byte = bytes[at] as number;
  const rest = (from: number, size: number) => hex(bytes.slice(at + from, at + from + size));
  if (byte === 0) return ['PAD', 1];
  if ((byte & 3) === 3) return cyc(bytes, at);
  if (byte === 2) {
    const [name, size] = EXTENDED[bytes[at + 1] as number] ?? [`02 ${rest(1, 1)}`, 1];
    if (name === 'TNT') return [`TNT ${bits(BigInt(`0x0${rest(2, 6)}`))}`, size];
    return [`${name} ${name === 'PSB' ? '' : rest(2, size - 2)}`, size];
  }
  if ((byte & 1) === 0) return [`TNT ${bits(BigInt(byte >> 1))}`, 1];
  if (byte === 0x59) return [`MTC ${rest(1, 1)}`, 2];
  if (byte === 0x99) return [`MODE ${rest(1, 1)}`, 2];
  if (byte === 0x19) return [`TSC ${rest(1, 7)}`, 8];
  const name = ADDRESS[byte & 31];
  const size = IP_BYTES[byte >> 5] as number;
  return name === undefined || size < 0
    ? [`bad ${byte.toString(16)}`, 1]
    : [`${name} ${byte >> 5}:${rest(1, size)}`, 1 + size];
}

function cyc(bytes: Bytes, at: number): readonly [string, number] {
  let value = (bytes[at] as number) >> 3;
  let size = 1;
  let more = ((bytes[at] as number) & 4) !== 0;
  for (let weight = 32; more && at + size < bytes.length; weight *= 128) {
    const byte = bytes[at + size++] as number;
    value += (byte >> 1) * weight;
    more = (byte & 1) !== 0;
  }
  return [`CYC ${value}`, size];
}

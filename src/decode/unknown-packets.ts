/**
 * Finds packets in a piece of trace that the decoder does not know (Intel SDM volume 3, "Intel Processor Trace").
 */

const PSB_BYTES = 16;
const PSB = new Uint8Array(PSB_BYTES).map((_, at) => (at % 2 === 0 ? 0x02 : 0x82));
const [PAD, EXTENDED, TSC, MTC, MODE] = [0x00, 0x02, 0x19, 0x59, 0x99];

/** Sizes of packets whose first byte is 2, by their second byte. */
const EXTENDED_BYTES: ReadonlyMap<number, number> = new Map([
  [0x82, PSB_BYTES],
  [0x23, 2], // PSBEND
  [0xf3, 2], // OVF
  [0x83, 2], // TraceStop
  [0x03, 4], // CBR
  [0x73, 7], // TMA
  [0xc8, 7], // VMCS
  [0xa3, 8], // long TNT
  [0x43, 8], // PIP
  [0xc3, 11], // MNT
  [0x12, 6], // PTWRITE
  [0x32, 10],
  [0x92, 6],
  [0xb2, 10],
  [0x62, 2], // EXSTOP
  [0xe2, 2],
  [0xc2, 10], // MWAIT
  [0x22, 4], // PWRE
  [0xa2, 7], // PWRX
]);
/** BBP, BEP, CFE and EVD. */
const EVENT_PACKETS: ReadonlySet<number> = new Set([0x33, 0xb3, 0x63, 0x13, 0x53]);
/** Bytes of an address, by how it is compressed. */
const ADDRESS_BYTES = [0, 2, 4, 6, 6, -1, 8, -1] as const;
/** TIP, TIP.PGE, TIP.PGD, FUP. */
const ADDRESS_PACKETS: ReadonlySet<number> = new Set([0x0d, 0x11, 0x01, 0x1d]);

/** Returns what only perf can decode among the packets that follow the first PSB, or null. */
export function unknownPackets(trace: Uint8Array): string | null {
  let at = Buffer.from(trace.buffer, trace.byteOffset, trace.length).indexOf(PSB);
  if (at < 0) return null;
  while (at < trace.length) {
    const packet = packetAt(trace, at);
    if (typeof packet === 'string') return packet;
    at += packet;
  }
  return null;
}

/** Returns the size of a packet, or what is not known of it. The last one may be cut off. */
function packetAt(trace: Uint8Array, at: number): number | string {
  const first = trace[at];
  if (first === PAD) return 1;
  if (first === EXTENDED) return at + 1 < trace.length ? extendedPacket(trace[at + 1], trace[at + 2] ?? 0) : 1;
  if (first % 2 === 0) return 1; // short TNT
  if ((first & 3) === 3) return cycBytes(trace, at);
  if (first === TSC) return 8;
  if (first === MTC) return 2;
  if (first === MODE) return modePacket(trace[at + 1] ?? 1);
  const bytes = ADDRESS_PACKETS.has(first & 0x1f) ? ADDRESS_BYTES[first >> 5] : -1;
  return bytes < 0 ? UNKNOWN : 1 + bytes;
}

const UNKNOWN = 'unknown packets';

function extendedPacket(second: number, third: number): number | string {
  if (EVENT_PACKETS.has(second)) return 'PEBS or event packets';
  if (second === 0x43 && third & 1) return 'a guest of a virtual machine';
  return EXTENDED_BYTES.get(second) ?? UNKNOWN;
}

/** MODE.Exec and MODE.TSX. */
function modePacket(mode: number): number | string {
  const leaf = mode >> 5;
  if (leaf === 0) return (mode & 3) === 1 ? 2 : '32-bit code';
  if (leaf === 1) return (mode & 3) === 0 ? 2 : 'transactions (TSX)';
  return UNKNOWN;
}

function cycBytes(trace: Uint8Array, at: number): number {
  let end = at + 1;
  if (trace[at] & 4) while (end < trace.length && trace[end++] & 1);
  return end - at;
}

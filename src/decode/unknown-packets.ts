/**
 * Finds what the decoder does not know in a piece of trace, packet by packet (Intel SDM volume 3, "Intel Processor Trace",
 * packet definitions).
 */

const PSB_BYTES = 16;
const PSB = new Uint8Array(PSB_BYTES).map((_, at) => (at % 2 === 0 ? 0x02 : 0x82));
const [PAD, EXTENDED, TSC, MTC, MODE] = [0x00, 0x02, 0x19, 0x59, 0x99];
const [PIP, BBP] = [0x43, 0x63];
const PEBS = 'PEBS or event packets';

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
  [PIP, 8],
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
const EVENT_BYTES: ReadonlyMap<number, number> = new Map([
  [BBP, 3],
  [0x33, 2], // BEP
  [0xb3, 2],
  [0x13, 4], // CFE
  [0x53, 11], // EVD
]);
/** Bytes of an address, by how it is compressed. */
const ADDRESS_BYTES = [0, 2, 4, 6, 6, -1, 8, -1] as const;
/** TIP, TIP.PGE, TIP.PGD, FUP. */
const ADDRESS_PACKETS: ReadonlySet<number> = new Set([0x0d, 0x11, 0x01, 0x1d]);

/**
 * Yields what only perf can decode, once for each stretch from one PSB to the next that has it. A stretch that is not made of
 * whole packets is damaged and says nothing: one flipped bit turns a packet into any other, and what follows it, too.
 */
export function* unknownKinds(trace: Uint8Array): Iterable<string> {
  const bytes = Buffer.from(trace.buffer, trace.byteOffset, trace.length);
  for (let start = bytes.indexOf(PSB); start >= 0; ) {
    const next = bytes.indexOf(PSB, start + PSB_BYTES);
    yield* new Stretch(bytes.subarray(start, next < 0 ? undefined : next), next < 0).kinds();
    start = next;
  }
}

/** 0 bytes: no packet begins so. */
interface Packet {
  readonly bytes: number;
  readonly kind: string | null;
}

const NO_PACKET: Packet = { bytes: 0, kind: null };

class Stretch {
  private readonly trace: Uint8Array;
  private readonly isCut: boolean;
  /** Bytes of a BIP, which only a PEBS block has: from BBP to BEP. */
  private bipBytes = 0;

  /** `isCut`: the last packet need not be whole. */
  constructor(trace: Uint8Array, isCut: boolean) {
    this.trace = trace;
    this.isCut = isCut;
  }

  kinds(): Iterable<string> {
    const found = new Set<string>();
    const end = this.trace.length;
    let at = 0;
    while (at < end) {
      const { bytes, kind } = this.packetAt(at);
      if (bytes === 0) return [];
      if (kind !== null) found.add(kind);
      at += bytes;
    }
    return at === end || this.isCut ? found : [];
  }

  private packetAt(at: number): Packet {
    const { trace } = this;
    const first = trace[at] as number;
    if (first === PAD) return known(1);
    if (first === EXTENDED) return at + 1 < trace.length ? this.extendedPacket(at) : known(2);
    if (this.bipBytes > 0 && (first & 7) === 4) return known(this.bipBytes);
    if (first % 2 === 0) return known(1); // short TNT
    if ((first & 3) === 3) return known(cycBytes(trace, at));
    if (first === TSC) return known(8);
    if (first === MTC) return known(2);
    if (first === MODE) return modePacket(trace[at + 1] ?? 1);
    const bytes = ADDRESS_PACKETS.has(first & 0x1f) ? (ADDRESS_BYTES[first >> 5] ?? -1) : -1;
    return bytes < 0 ? NO_PACKET : known(1 + bytes);
  }

  private extendedPacket(at: number): Packet {
    const second = this.trace[at + 1] as number;
    const third = this.trace[at + 2] ?? 0;
    const eventBytes = EVENT_BYTES.get(second);
    if (eventBytes !== undefined) {
      this.bipBytes = second === BBP ? (third & 0x80 ? 5 : 9) : 0;
      return { bytes: eventBytes, kind: PEBS };
    }
    const bytes = EXTENDED_BYTES.get(second) ?? 0;
    return { bytes, kind: second === PIP && third & 1 ? 'a guest of a virtual machine' : null };
  }
}

function known(bytes: number): Packet {
  return { bytes, kind: null };
}

/** MODE.Exec and MODE.TSX. */
function modePacket(mode: number): Packet {
  const leaf = mode >> 5;
  if (leaf === 0) return { bytes: 2, kind: (mode & 3) === 1 ? null : '32-bit code' };
  if (leaf === 1) return { bytes: 2, kind: (mode & 3) === 0 ? null : 'transactions (TSX)' };
  return NO_PACKET;
}

function cycBytes(trace: Uint8Array, at: number): number {
  let end = at + 1;
  if ((trace[at] as number) & 4) while (end < trace.length && (trace[end++] as number) & 1);
  return end - at;
}

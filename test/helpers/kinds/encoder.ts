/**
 * Encodes the instructions of a CPU, as a CPU with address filters would (Intel SDM volume 3, "Intel Processor Trace", table of
 * packets by enable conditions).
 */
import * as packets from '../../../fuzz/pt/packets.js';
import { BranchOf, branchOf } from './branch-of.js';

export interface Instruction {
  readonly tid: number;
  readonly tick: bigint;
  readonly ip: number;
  readonly bytes: Buffer;
}

export interface Region {
  readonly start: number;
  readonly end: number;
}

export interface EncoderOptions {
  /** Code that is traced; empty: all. */
  readonly filter: readonly Region[];
  /** Code that stops the trace. */
  readonly stop: readonly Region[];
  /** Bytes of trace between two synchronization points. */
  readonly psbBytes: number;
  /** Returns are bits of TNT packets if their call is known. */
  readonly compressesReturns: boolean;
  /** Erratum SKL014 of some CPUs: the end of the trace has no address at direct branches. */
  readonly losesTargets: boolean;
  readonly clock: CrystalClock | null;
  /** Other packets before an instruction, by its row. */
  readonly packetsAt?: (row: number, isTracing: boolean) => OtherPacket | null;
}

/** A packet that is no branch. `hasIp`: the instruction's address follows. */
export interface OtherPacket {
  readonly bytes: readonly number[];
  readonly hasIp: boolean;
}

/** An MTC packet every 2^period ticks; a tick is `numerator / denominator` ticks of the TSC. null: no such packets. */
export interface CrystalClock {
  readonly period: number;
  readonly numerator: number;
  readonly denominator: number;
}

const MAX_BITS = 6;
const CALLS = 64;
const CBR = 30;

export class Encoder {
  private readonly out: number[] = [];
  private readonly options: EncoderOptions;
  private bits: number[] = [];
  private calls: number[] = [];
  private tick = 0n;
  private lastIp = 0n;
  private lastPsb = -1;
  private isTracing = false;
  private isStopped = false;

  constructor(options: EncoderOptions) {
    this.options = options;
  }

  /** The instructions of a CPU in order, of all threads. */
  encode(all: readonly Instruction[]): Buffer {
    const [first] = all;
    if (first === undefined) return Buffer.alloc(0);
    this.psb(first, false);
    this.enter(first);
    for (let row = 0; row < all.length; row++) {
      const instruction = all[row] as Instruction;
      const next = all[row + 1];
      this.other(row, instruction);
      this.step(instruction, next);
      if (next && this.out.length - this.lastPsb > this.options.psbBytes) this.psb(next, this.isTracing);
    }
    return Buffer.from(this.out);
  }

  private other(row: number, { ip, tick }: Instruction): void {
    const packet = this.options.packetsAt?.(row, this.isTracing) ?? null;
    if (packet === null) return;
    this.flush();
    this.cyc(tick);
    this.put(packet.bytes);
    if (packet.hasIp) this.address(packets.FUP, ip, tick);
  }

  private step({ tid, ip, bytes }: Instruction, next: Instruction | undefined): void {
    const branch = branchOf(bytes);
    const after = ip + bytes.length;
    if (next === undefined) return this.flush();
    if (branch === BranchOf.far) return this.leaveContext(next, null);
    if (tid !== next.tid || (branch === BranchOf.none && next.ip !== after)) return this.leaveContext(next, after);
    if (branch === BranchOf.none) return;
    const isTaken = next.ip !== after || branch !== BranchOf.jcc;
    if (!isTaken) return this.isTracing ? this.bit(0, next) : undefined;
    this.taken(branch, after, next);
  }

  private taken(branch: number, after: number, next: Instruction): void {
    const target = next.ip;
    const isEnabled = this.allows(target);
    if (!this.isTracing) return isEnabled ? this.enter(next) : undefined;
    const isCompressed = branch === BranchOf.ret && this.returnsTo(target);
    if (branch === BranchOf.call || branch === BranchOf.indirectCall) this.push(after);
    const isBit = branch === BranchOf.jcc || isCompressed;
    if (isEnabled) {
      if (isBit) this.bit(1, next);
      else if (branch >= BranchOf.indirect) this.address(packets.TIP, target, next.tick);
      return;
    }
    const hasTarget = !isBit && (branch >= BranchOf.indirect || !this.options.losesTargets);
    if (!hasTarget) this.disable(next.tick);
    else this.address(packets.PGD, target, next.tick);
    this.stopIf(target);
    this.isTracing = false;
  }

  /** System calls, interrupts, switches. `from`: where, null: at a branch. */
  private leaveContext(next: Instruction, from: number | null): void {
    if (this.isTracing) {
      if (from !== null) this.address(packets.FUP, from, this.tick);
      this.disable(this.tick);
      this.isTracing = false;
    }
    if (this.allows(next.ip)) this.enter(next);
  }

  private allows(ip: number): boolean {
    const { filter, stop } = this.options;
    if (this.isStopped || isIn(stop, ip)) return false;
    return filter.length === 0 || isIn(filter, ip);
  }

  private stopIf(ip: number): void {
    if (!isIn(this.options.stop, ip)) return;
    this.isStopped = true;
    this.put(packets.TRACE_STOP);
  }

  private enter(next: Instruction): void {
    if (!this.allows(next.ip)) return;
    this.tsc(next.tick);
    this.address(packets.PGE, next.ip, next.tick);
    this.isTracing = true;
  }

  private psb(next: Instruction, hasIp: boolean): void {
    this.flush();
    this.lastPsb = this.out.length;
    this.put(packets.PSB);
    this.tsc(next.tick);
    this.put(packets.cbr(CBR));
    this.lastIp = 0n;
    this.calls = [];
    if (hasIp) this.put(packets.addressPacket(packets.FUP, next.ip, packets.SIGNED_6));
    if (hasIp) this.lastIp = BigInt(next.ip);
    this.put(packets.PSBEND);
  }

  private push(after: number): void {
    this.calls.push(after);
    if (this.calls.length > CALLS) this.calls.shift();
  }

  private returnsTo(target: number): boolean {
    const expected = this.calls.pop();
    return expected === target && this.options.compressesReturns;
  }

  private bit(bit: number, { tick }: Instruction): void {
    if (this.bits.length === 0) this.cyc(tick);
    this.bits.push(bit);
    if (this.bits.length === MAX_BITS) this.flush();
  }

  private flush(): void {
    if (this.bits.length > 0) this.put(packets.tnt(this.bits));
    this.bits = [];
  }

  private disable(tick: bigint): void {
    this.flush();
    this.cyc(tick);
    this.put([packets.PGD]);
  }

  private address(what: number, ip: number, tick: bigint): void {
    this.flush();
    this.cyc(tick);
    const full = BigInt(ip);
    const isNear = full >> 16n === this.lastIp >> 16n;
    this.put(packets.addressPacket(what, full, isNear ? packets.LOW_2 : packets.SIGNED_6));
    this.lastIp = full;
  }

  /** Time goes on to a tick: MTC packets on the way, and cycles. */
  private cyc(tick: bigint): void {
    const { clock } = this.options;
    if (clock !== null) {
      const period = 1n << BigInt(clock.period);
      for (let ctc = (this.ctcAt(this.tick) / period + 1n) * period; ctc <= this.ctcAt(tick); ctc += period) {
        this.cycles(this.tickOf(ctc));
        this.put(packets.mtc(Number((ctc / period) & 0xffn)));
      }
    }
    this.cycles(tick);
  }

  private cycles(tick: bigint): void {
    const cycles = Number(tick - this.tick);
    if (cycles <= 0) return;
    this.put(packets.cyc(cycles));
    this.tick = tick;
  }

  private tsc(tick: bigint): void {
    this.put(packets.tsc(tick));
    this.tick = tick;
    if (this.options.clock === null) return;
    const ctc = this.ctcAt(tick);
    this.put(packets.tma(Number(ctc & 0xffffn), Number(tick - this.tickOf(ctc))));
  }

  private ctcAt(tick: bigint): bigint {
    const { numerator = 1, denominator = 1 } = this.options.clock ?? {};
    let ctc = (tick * BigInt(denominator)) / BigInt(numerator);
    while (this.tickOf(ctc + 1n) <= tick) ctc++;
    return ctc;
  }

  private tickOf(ctc: bigint): bigint {
    const { numerator = 1, denominator = 1 } = this.options.clock ?? {};
    return (ctc * BigInt(numerator)) / BigInt(denominator);
  }

  private put(bytes: readonly number[]): void {
    for (const byte of bytes) this.out.push(byte);
  }
}

function isIn(regions: readonly Region[], ip: number): boolean {
  return regions.some(({ start, end }) => start <= ip && ip < end);
}

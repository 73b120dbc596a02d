/**
 * Random streams of packets: a walk through a program, as a processor would trace it.
 */
import type { Random } from '../random.js';
import type { Bytes } from './packets.js';
import * as packets from './packets.js';
import type { Program } from './program.js';
import type { TraceSettings } from './recording.js';

const MOST_STEPS = 300;

/** Writes the packets of one walk. */
export class StreamWriter {
  readonly out: Bytes[] = [];
  private readonly random: Random;
  private readonly program: Program;
  private readonly settings: TraceSettings;
  private ip = 0;
  private lastIp = 0;
  private calls: number[] = [];
  private bits: number[] = [];
  private tick: bigint;
  private lastMtc: bigint;
  private cbr = 30;
  private isTracing = false;
  /** How often a time is written. */
  private readonly timing: number;
  private readonly longTnt: boolean;

  constructor(random: Random, program: Program, settings: TraceSettings, tick: bigint) {
    this.random = random;
    this.program = program;
    this.settings = settings;
    this.tick = tick;
    this.lastMtc = this.mtcAt(tick);
    this.timing = random.pick([1, 3, 10]);
    this.longTnt = random.oneIn(8);
  }

  private ctcAt(tick: bigint): bigint {
    const { ctcNumerator, ctcDenominator } = this.settings;
    return (tick * BigInt(ctcDenominator)) / BigInt(ctcNumerator);
  }

  private mtcAt(tick: bigint): bigint {
    return this.ctcAt(tick) >> BigInt(Math.max(0, this.settings.mtcPeriod));
  }

  write(events: number): Bytes[] {
    if (!this.random.oneIn(100)) this.psb();
    for (let event = 0; event < events; event++) {
      if (!this.isTracing) this.begin();
      else this.walk();
      this.clock();
      if (this.random.oneIn(25)) this.psb();
      if (this.random.oneIn(80)) this.overflow();
      if (this.random.oneIn(100)) this.other();
    }
    this.flush();
    return this.out;
  }

  private put(packet: Bytes): void {
    this.out.push(packet);
    if (this.random.oneIn(200)) this.out.push(packets.PAD);
  }

  private psb(): void {
    const { random } = this;
    this.flush();
    this.put(packets.PSB);
    this.lastIp = 0;
    if (!this.out.includes(packets.PSBEND) || !random.oneIn(12)) this.time();
    if (!random.oneIn(6)) this.put(packets.cbr(this.cbr));
    if (this.isTracing || random.oneIn(10)) {
      if (!random.oneIn(3)) this.put(packets.MODE_EXEC_64);
      this.address(packets.FUP, this.ip);
    }
    if (!this.out.includes(packets.PSBEND) || !random.oneIn(40)) this.put(packets.PSBEND);
    this.calls = [];
  }

  /** TSC and TMA. */
  private time(): void {
    this.put(packets.tsc(this.tick));
    if (this.settings.mtcPeriod < 0 || this.random.oneIn(12)) return;
    const ctc = this.ctcAt(this.tick);
    const { ctcNumerator, ctcDenominator } = this.settings;
    const fast = this.tick - (ctc * BigInt(ctcNumerator)) / BigInt(ctcDenominator);
    this.put(packets.tma(Number(ctc & 0xffffn), Number(fast & 0x1ffn)));
    this.lastMtc = this.mtcAt(this.tick);
  }

  private clock(): void {
    const { random, settings } = this;
    if (!random.oneIn(this.timing)) return;
    const step = random.pick([3, 30, 200, 2000, 60000]);
    const before = this.tick;
    this.tick += BigInt(random.below(step));
    if (!random.oneIn(4)) this.flush();
    if (settings.mtcPeriod >= 0) this.mtcs(before);
    if (!random.oneIn(4)) this.put(packets.cyc(random.below(step) + random.below(3)));
    if (random.oneIn(30)) this.time();
    if (random.oneIn(30)) this.put(packets.cbr((this.cbr = random.pick([30, 30, 8, 42, 17]))));
  }

  private mtcs(before: bigint): void {
    const now = this.mtcAt(this.tick);
    for (let mtc = this.lastMtc + 1n > now - 4n ? this.lastMtc + 1n : now - 4n; mtc <= now; mtc++) {
      if (!this.random.oneIn(3)) this.put(packets.cyc(Math.abs(Number(this.tick - before) >> this.random.below(3))));
      this.put(packets.mtc(Number(mtc & 0xffn)));
    }
    this.lastMtc = now;
  }

  private overflow(): void {
    const { random } = this;
    this.bits = [];
    this.put(packets.OVF);
    this.ip = this.anywhere();
    if (random.oneIn(3)) this.time();
    if (random.oneIn(2)) {
      this.address(packets.FUP, this.ip);
      this.isTracing = true;
    } else this.isTracing = false;
  }

  private other(): void {
    this.put(
      this.random.pick([
        packets.TRACE_STOP,
        packets.MODE_EXEC_64,
        packets.PSBEND,
        packets.cbr(0),
        packets.OVF,
        [0x02, 0x43, 0, 0, 0, 0, 0, 0],
      ]),
    );
  }

  private anywhere(): number {
    const { random, program } = this;
    return random.oneIn(30) ? program.end + random.below(9000) - 4000 : random.pick(program.starts);
  }

  private begin(): void {
    this.ip = this.anywhere();
    this.address(packets.PGE, this.ip);
    this.isTracing = true;
  }

  /** To the next branch that needs a packet, and over it. */
  private walk(): void {
    const { random, program } = this;
    if (random.oneIn(25)) this.pause();
    const asyncAt = random.oneIn(15) ? random.below(6) : -1;
    for (let step = 0; step < MOST_STEPS; step++) {
      const instruction = program.at.get(this.ip);
      if (instruction === undefined || step === asyncAt) return this.leave();
      const { flow, target, address, length } = instruction;
      const after = address + length;
      if (flow === 'on' || flow === 'jump' || flow === 'call') {
        if (flow === 'call' && target !== after) this.calls.push(after);
        this.ip = flow === 'on' ? after : target;
        continue;
      }
      if (flow === 'jcc') return this.branch(target, after);
      if (flow === 'return') return this.return();
      if (flow === 'call-indirect') this.calls.push(after);
      if (flow === 'far' && !random.oneIn(4)) return this.stop();
      return this.jump();
    }
    this.leave();
  }

  /** A deferred TIP may come behind bits of later branches; mostly bits come first. */
  private flush(): void {
    if (this.bits.length === 0) return;
    this.put(this.longTnt ? packets.longTnt(this.bits) : packets.tnt(this.bits));
    this.bits = [];
  }

  private bit(value: number): void {
    this.bits.push(value);
    if (this.bits.length === (this.longTnt ? 47 : 6) || this.random.oneIn(12)) this.flush();
  }

  private branch(target: number, after: number): void {
    const isTaken = this.random.oneIn(2);
    this.bit(isTaken ? 1 : 0);
    this.ip = isTaken ? target : after;
  }

  private return(): void {
    const to = this.calls.pop();
    if (to === undefined || this.random.oneIn(4)) return this.jump();
    this.bit(1);
    this.ip = to;
  }

  private jump(): void {
    if (this.bits.length === 0 || !this.random.oneIn(10)) this.flush();
    this.ip = this.anywhere();
    if (this.random.oneIn(3)) this.put(packets.cyc(this.random.below(40)));
    this.address(packets.TIP, this.ip);
  }

  private stop(): void {
    this.flush();
    if (this.random.oneIn(6)) this.address(packets.PGD, this.anywhere());
    else this.put(packets.addressPacket(packets.PGD, 0, packets.NO_IP));
    this.isTracing = false;
  }

  /** Tracing stops, and begins where it stopped: as when another process runs. */
  private pause(): void {
    this.flush();
    this.address(packets.FUP, this.ip);
    this.put(packets.addressPacket(packets.PGD, 0, packets.NO_IP));
    this.clock();
    this.address(packets.PGE, this.ip);
  }

  /** An interrupt or a fault. */
  private leave(): void {
    const { random } = this;
    this.flush();
    this.address(packets.FUP, this.ip);
    if (random.oneIn(3)) this.clock();
    if (random.oneIn(2)) return this.stop();
    this.ip = this.anywhere();
    this.address(packets.TIP, this.ip);
  }

  private address(what: number, ip: number): void {
    const near = Math.floor(ip / 2 ** 16) === Math.floor(this.lastIp / 2 ** 16);
    const ways = [
      packets.LOW_4,
      packets.SIGNED_6,
      packets.LOW_6,
      packets.FULL_8,
      ...(near ? Array(8).fill(packets.LOW_2) : []),
    ];
    this.lastIp = ip;
    this.put(packets.addressPacket(what, ip, this.random.pick(ways)));
  }
}

/**
 * Schedules threads on CPUs, and writes what perf records of it: switches, wakings and what threads do, by time.
 */
import { TimeHeap } from '../../generator/agenda.js';
import type { Random } from '../../generator/random.js';
import { BranchTexts, type Fn, Fns } from './functions.js';
import type { LineWriter } from './line-writer.js';

/** How long a thread keeps its CPU if others wait for one. */
const TIME_SLICE_NS = 30_000;
const NS_TO_RESUME = 100;
const IDLE = { tid: 0, comm: 'swapper' };

export class Machine {
  readonly texts = new BranchTexts();
  nowNs = 0;
  /** How often threads came to a CPU, and left one. */
  private comings = 0;
  private leavings = 0;
  private readonly ran = new Set<Thread>();
  private readonly threads: Thread[] = [];
  private readonly cpus: number;
  private readonly random: Random;
  private readonly writer: LineWriter;
  /** Until when the time slice of a CPU's thread lasts. */
  private readonly sliceEndsNs: number[] = [];
  private readonly running: (Thread | null)[];
  private readonly ready: Thread[] = [];
  private readonly interrupted = new Set<Thread>();
  /** CPUs by number; then threads by their row: those that come to a CPU, and those that a timer wakes. */
  private readonly agenda = new TimeHeap();

  constructor(cpus: number, random: Random, writer: LineWriter) {
    this.cpus = cpus;
    this.random = random;
    this.writer = writer;
    this.running = Array<Thread | null>(cpus).fill(null);
  }

  start(thread: Thread): void {
    this.threads.push(thread);
    this.wakeLater(thread, 1000 + this.random.below(50_000));
  }

  /** Times off a CPU since the first thread ran, with those that did not end. */
  get waits(): number {
    return this.leavings + this.ran.size - 1;
  }

  /** Runs until so many waits have ended. */
  run(waits: number): void {
    while (this.comings < waits) {
      this.nowNs = this.agenda.nextNs;
      const next = this.agenda.next;
      if (next < this.cpus) this.step(next);
      else this.timerOf(next - this.cpus);
    }
  }

  write(tid: number, cpu: number, what: string): void {
    this.writer.write(tid, cpu, this.nowNs, what);
  }

  wake(woken: Thread, by: { readonly tid: number; readonly cpu: number }): void {
    const target = `target_cpu=${String(woken.cpu).padStart(3, '0')}`;
    const fields = `comm=${woken.comm} pid=${woken.tid} prio=120 ${target}`;
    this.write(by.tid, by.cpu, `${'sched:sched_waking'.padStart(30)}: ${fields}`);
    this.ready.push(woken);
    const idle = this.idleCpu();
    if (idle !== null) this.takeNext(idle, 1500 + this.random.below(6000));
  }

  /** An interrupt wakes the thread, on the CPU that it ran on. */
  wakeLater(thread: Thread, ns: number): void {
    this.agenda.add(this.cpus + this.threads.indexOf(thread), this.nowNs + ns);
  }

  private timerOf(row: number): void {
    this.agenda.remove();
    const thread = this.threads[row];
    const { cpu } = thread;
    this.wake(thread, { tid: this.running[cpu]?.tid ?? IDLE.tid, cpu });
  }

  private step(cpu: number): void {
    const thread = this.running[cpu] as Thread;
    if (Number.isNaN(this.sliceEndsNs[cpu])) return this.switchIn(thread, cpu);
    const mustLeave = this.nowNs >= this.sliceEndsNs[cpu] && this.ready.length > 0;
    if (mustLeave) return this.preempt(thread, cpu);
    const { value: ns } = thread.script.next();
    if (Number.isNaN(ns)) this.leave(thread, cpu, '1');
    else this.agenda.postpone(this.nowNs + (ns as number));
  }

  /** An interrupt takes the CPU from it: in the kernel without a trace, else between two instructions. */
  private preempt(thread: Thread, cpu: number): void {
    if (!thread.isInKernel) {
      thread.enterKernel('async');
      this.interrupted.add(thread);
    }
    this.ready.push(thread);
    this.leave(thread, cpu, 'R');
  }

  private leave({ tid, comm }: Thread, cpu: number, state: string): void {
    this.leavings++;
    this.agenda.remove();
    this.running[cpu] = null;
    const next = this.ready[0] ?? IDLE;
    const prev = `prev_comm=${comm} prev_pid=${tid} prev_prio=120 prev_state=${state}`;
    const fields = `${prev} ==> next_comm=${next.comm} next_pid=${next.tid} next_prio=120`;
    this.write(tid, cpu, `${'sched:sched_switch'.padStart(30)}: ${fields}`);
    this.write(tid, cpu, `PERF_RECORD_SWITCH OUT${state === 'R' ? ' preempt' : ''}`);
    if (this.ready.length > 0) this.takeNext(cpu, 700 + this.random.below(1500));
  }

  /** The next thread comes to a CPU, after some time. */
  private takeNext(cpu: number, ns: number): void {
    const thread = this.ready.shift() as Thread;
    this.running[cpu] = thread;
    thread.cpu = cpu;
    this.sliceEndsNs[cpu] = Number.NaN;
    this.agenda.add(cpu, this.nowNs + ns);
  }

  private switchIn(thread: Thread, cpu: number): void {
    this.comings++;
    this.ran.add(thread);
    this.sliceEndsNs[cpu] = this.nowNs + TIME_SLICE_NS;
    this.write(thread.tid, cpu, 'PERF_RECORD_SWITCH IN ');
    if (this.interrupted.delete(thread)) thread.leaveKernel('async');
    this.agenda.postpone(this.nowNs + NS_TO_RESUME);
  }

  private idleCpu(): number | null {
    const first = this.random.below(this.cpus);
    for (let step = 0; step < this.cpus; step++) {
      const cpu = (first + step) % this.cpus;
      if (this.running[cpu] === null) return cpu;
    }
    return null;
  }
}

/** A thread runs for so many nanoseconds, or it sleeps until it is woken. */
export type Pause = number;
export const SLEEP: Pause = Number.NaN;

/** What a thread does; it goes on after each pause. */
export type Script = Generator<Pause, void, void>;

const FUTEX_ARGUMENTS = 'utime: 0x00000000, uaddr2: 0x00000000, val3: 0xffffffff';

export const FutexOp = { Wait: 0x80, Wake: 0x81, WaitBitset: 0x189 } as const;
export type FutexOp = (typeof FutexOp)[keyof typeof FutexOp];

export class Thread {
  readonly tid: number;
  readonly comm: string;
  cpu = 0;
  readonly stack: Fn[] = [Fns.thread];
  readonly script: Script;
  isInKernel = true;
  private readonly machine: Machine;

  constructor(machine: Machine, tid: number, comm: string, script: (thread: Thread) => Script) {
    this.machine = machine;
    this.tid = tid;
    this.comm = comm;
    this.script = script(this);
  }

  get top(): Fn {
    return this.stack.at(-1) as Fn;
  }

  call(fn: Fn): void {
    this.write(this.machine.texts.call(this.top, fn));
    this.stack.push(fn);
  }

  return(): void {
    const callee = this.stack.pop() as Fn;
    this.write(this.machine.texts.return(callee, this.top));
  }

  enterKernel(why: 'syscall' | 'async' = 'syscall'): void {
    this.isInKernel = true;
    this.write(this.machine.texts.stop(this.top, why));
  }

  leaveKernel(why: 'syscall' | 'async' = 'syscall'): void {
    this.isInKernel = false;
    this.write(this.machine.texts.resume(this.top, why));
  }

  sample(event: string, fields: string): void {
    this.write(`${event.padStart(30)}: ${fields}`);
  }

  *run(fn: Fn, ns: number): Script {
    this.call(fn);
    yield ns;
    this.return();
  }

  /** A system call that a timer or a device ends. */
  *sleep(fn: Fn, ns: number): Script {
    this.call(fn);
    this.enterKernel();
    yield 300;
    this.machine.wakeLater(this, ns);
    yield SLEEP;
    this.leaveKernel();
    this.return();
  }

  /** `mustSleep`: asked when the kernel looks at the word. */
  *futexWait(op: FutexOp, address: number, value: number, mustSleep: () => boolean): Script {
    this.enterFutex(op, address, value);
    yield 300;
    const sleeps = mustSleep();
    if (sleeps) yield SLEEP;
    yield 200;
    this.leaveFutex(sleeps ? '0x0' : '0xfffffffffffffff5'); // EAGAIN
  }

  *futexWake(address: number, woken: Thread | undefined): Script {
    this.enterFutex(FutexOp.Wake, address, 1);
    yield 300;
    if (woken) this.machine.wake(woken, this);
    yield 200;
    this.leaveFutex(woken ? '0x1' : '0x0');
  }

  private enterFutex(op: FutexOp, address: number, value: number): void {
    this.enterKernel();
    const word = `uaddr: 0x${address.toString(16)}, op: 0x${hex(op)}, val: 0x${hex(value)}`;
    this.sample('syscalls:sys_enter_futex', `${word}, ${FUTEX_ARGUMENTS}`);
  }

  private leaveFutex(result: string): void {
    this.sample('syscalls:sys_exit_futex', result);
    this.leaveKernel();
  }

  private write(what: string): void {
    this.machine.write(this.tid, this.cpu, what);
  }
}

function hex(value: number): string {
  return value.toString(16).padStart(8, '0');
}

/**
 * Simulates a machine whose threads sleep, wait for futexes, wake each other and compete for CPUs.
 */
import { INTERRUPT, Recorder, type TrueWait } from './recorder.js';

/** What a thread asks for; the answer to `wait` and `wake` is their result. */
export type Op =
  | { readonly what: 'run'; readonly ns: number }
  | { readonly what: 'sleep'; readonly ns: number }
  | { readonly what: 'wait'; readonly address: number; readonly value: number; readonly timeoutNs?: number }
  | { readonly what: 'wake'; readonly address: number; readonly count: number }
  | { readonly what: 'sample'; readonly event: string; readonly values: Readonly<Record<string, number>> };

export type Program = Generator<Op, void, number>;

export interface Thread {
  readonly tid: number;
  readonly program: Program;
  cpu: number;
  result: number;
  /** Goes on with this when it runs again. */
  resume: () => void;
  wait: TrueWait | null;
}

const WAIT_PRIVATE = 0x80;
const WAKE_PRIVATE = 0x81;
const FIRST_TID = 1000;

export class Machine {
  readonly recorder = new Recorder();
  readonly words = new Map<number, number>();
  nowNs = 1_000_000;

  private readonly random: () => number;
  private readonly cpus: (Thread | null)[];
  private readonly ready: Thread[] = [];
  private readonly waiting = new Map<number, Thread[]>();
  private readonly agenda: { readonly timeNs: number; readonly order: number; readonly act: () => void }[] = [];
  private orders = 0;
  private threads = 0;

  /** `random`: from 0 to 1. */
  constructor(cpus: number, random: () => number) {
    this.cpus = Array<Thread | null>(cpus).fill(null);
    this.random = random;
  }

  start(program: (tid: number) => Program): void {
    const tid = FIRST_TID + this.threads++;
    const thread: Thread = { tid, program: program(tid), cpu: 0, result: 0, resume: () => {}, wait: null };
    thread.resume = () => this.step(thread);
    this.at(this.nowNs + this.upTo(5000), () => this.makeReady(thread));
  }

  run(): void {
    for (let next = this.agenda.pop(); next; next = this.agenda.pop()) {
      this.nowNs = next.timeNs;
      next.act();
    }
  }

  upTo(ns: number): number {
    return 1 + Math.floor(this.random() * ns);
  }

  private at(timeNs: number, act: () => void): void {
    const event = { timeNs, order: this.orders++, act };
    let low = 0;
    let high = this.agenda.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.agenda[middle].timeNs > timeNs) low = middle + 1;
      else high = middle;
    }
    this.agenda.splice(low, 0, event);
  }

  private after(ns: number, act: () => void): void {
    this.at(this.nowNs + ns, act);
  }

  /** Lets a running thread do its next step. */
  private step(thread: Thread): void {
    if (this.ready.length > 0 && this.random() < 0.05) return this.preempt(thread);
    const { value: op, done } = thread.program.next(thread.result);
    if (done || !op) {
      this.leave(thread, 'X', 0);
      return;
    }
    thread.result = 0;
    if (op.what === 'run') this.after(op.ns, () => this.step(thread));
    else if (op.what === 'sleep') this.sleep(thread, op.ns);
    else if (op.what === 'wait') this.futexWait(thread, op.address, op.value, op.timeoutNs);
    else if (op.what === 'wake') this.futexWake(thread, op.address, op.count);
    else {
      this.recorder.sample(op.event, this.nowNs, thread.tid, thread.cpu, op.values);
      this.after(100, () => this.step(thread));
    }
  }

  private preempt(thread: Thread): void {
    thread.resume = () => this.step(thread);
    this.leave(thread, 'R', 0);
    this.ready.push(thread);
  }

  private sleep(thread: Thread, ns: number): void {
    thread.resume = () => this.step(thread);
    const wait = this.leave(thread, 'S', 0);
    this.after(ns, () => this.wakeByInterrupt(thread, wait));
  }

  private futexWait(thread: Thread, address: number, value: number, timeoutNs?: number): void {
    this.futexEnter(thread, WAIT_PRIVATE, address, value);
    this.after(this.upTo(1500), () => {
      if (this.words.get(address) !== value) return this.futexExit(thread, -11);
      thread.resume = () => this.futexExit(thread, thread.result);
      const wait = this.leave(thread, 'S', address);
      const queue = this.waiting.get(address) ?? [];
      this.waiting.set(address, [...queue, thread]);
      if (timeoutNs === undefined) return;
      this.after(timeoutNs, () => {
        if (!this.waiting.get(address)?.includes(thread) || thread.wait !== wait) return;
        this.unqueue(address, thread);
        thread.result = -110;
        this.wakeByInterrupt(thread, wait);
      });
    });
  }

  private futexWake(thread: Thread, address: number, count: number, woken = 0): void {
    if (woken === 0) this.futexEnter(thread, WAKE_PRIVATE, address, count);
    this.after(this.upTo(1000), () => {
      const [first] = this.waiting.get(address) ?? [];
      if (!first || woken === count) return this.futexExit(thread, woken);
      this.unqueue(address, first);
      this.recorder.sample('sched:sched_waking', this.nowNs, thread.tid, thread.cpu, { pid: first.tid });
      this.wake(first, first.wait as TrueWait, thread.tid);
      if (woken + 1 === count) this.after(this.upTo(1000), () => this.futexExit(thread, count));
      else this.futexWake(thread, address, count, woken + 1);
    });
  }

  private futexEnter({ tid, cpu }: Thread, op: number, uaddr: number, val: number): void {
    this.recorder.sample('syscalls:sys_enter_futex', this.nowNs, tid, cpu, { uaddr, op, val, uaddr2: 0 });
  }

  private futexExit(thread: Thread, ret: number): void {
    this.recorder.sample('syscalls:sys_exit_futex', this.nowNs, thread.tid, thread.cpu, { ret });
    thread.result = ret;
    this.after(100, () => this.step(thread));
  }

  private unqueue(address: number, thread: Thread): void {
    const queue = this.waiting.get(address) ?? [];
    this.waiting.set(
      address,
      queue.filter((other) => other !== thread),
    );
  }

  private wakeByInterrupt(thread: Thread, wait: TrueWait): void {
    const cpu = Math.floor(this.random() * this.cpus.length);
    this.recorder.interrupt(this.nowNs, this.cpus[cpu]?.tid ?? 0, cpu, thread.tid);
    this.wake(thread, wait, INTERRUPT);
  }

  private wake(thread: Thread, wait: TrueWait, waker: number): void {
    wait.waker = waker;
    wait.wakeNs = this.nowNs;
    this.after(this.upTo(3000), () => this.makeReady(thread));
  }

  private makeReady(thread: Thread): void {
    const idle = this.cpus.indexOf(null);
    if (idle < 0) this.ready.push(thread);
    else this.enter(thread, idle, 0, 'R');
  }

  /** Puts a thread on a CPU that `previous` leaves. */
  private enter(thread: Thread, cpu: number, previous: number, state: string): void {
    this.cpus[cpu] = thread;
    thread.cpu = cpu;
    this.recorder.switch(this.nowNs, cpu, previous, state, thread.tid);
    if (thread.wait) thread.wait.inNs = this.nowNs;
    thread.wait = null;
    this.after(2000, () => thread.resume());
  }

  private leave(thread: Thread, state: 'R' | 'S' | 'X', address: number): TrueWait {
    const { tid, cpu } = thread;
    const outNs = this.nowNs;
    const wait = { tid, outNs, inNs: Number.NaN, isBlocked: state === 'S', waker: 0, wakeNs: Number.NaN, address };
    if (state !== 'X') this.recorder.waits.push(wait);
    thread.wait = wait;
    const next = this.ready.shift();
    if (next) this.enter(next, cpu, tid, state);
    else {
      this.recorder.switch(outNs, cpu, tid, state, 0);
      this.after(2000, () => this.idle(cpu));
    }
    return wait;
  }

  private idle(cpu: number): void {
    const next = this.ready.shift();
    this.cpus[cpu] = null;
    if (next) this.enter(next, cpu, 0, 'R');
  }
}

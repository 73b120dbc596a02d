/**
 * A thread of the simulated server: what it calls, and which system calls it makes.
 */
import { type Fn, Fns } from './functions.js';
import type { Machine } from './machine.js';

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

/**
 * Runs a program with fibers from random decisions, on two threads: the text of its trace, and its true self times.
 *
 * Fibers switch to each other, finish, are dropped amid their work, and go on in another thread. Functions call, jump
 * to others in their place, throw exceptions, and are interrupted by signals.
 */
import fc from 'fast-check';
import { withLosses } from './fiber-run.js';

/** What the program does next. */
export interface FiberStep {
  readonly what: keyof typeof WEIGHTS;
  readonly which: number;
  readonly ns: number;
}

const WEIGHTS = { call: 10, return: 6, switch: 6, tail: 1, throw: 1, signal: 1, drop: 1, thread: 1 };

/** How the function that switches stacks is known, and how it ends. */
export interface FiberStyle {
  readonly switcher: 'swapcontext' | 'sw';
  readonly end: 'return' | 'jmp' | 'hidden';
  /** All fibers run the same functions. */
  readonly areAlike: boolean;
}

interface OpenFunction {
  readonly name: string;
  readonly base: number;
  /** Offset of the instruction at which it goes on. */
  resumeOffset: number;
  readonly isSignal: boolean;
}

interface Fiber {
  readonly frames: OpenFunction[];
  readonly code: number;
}

interface Thread {
  readonly tid: number;
  readonly lines: string[];
  running: number;
}

const FIBERS = 5;
const THREADS = 2;
const OTHERS = {
  swapcontext: 0x900000,
  sw: 0x900000,
  __cxa_throw: 0x910000,
  _Unwind_RaiseException: 0x920000,
  uw_init_context_1: 0x930000,
  _Unwind_RaiseException_Phase2: 0x940000,
  uw_frame_state_for: 0x950000,
  __restore_rt: 0x960000,
};

export class FiberProgram {
  /** By path, from the first function of the stack on; of all threads. */
  readonly selfNs = new Map<string, number>();
  private readonly threads: Thread[];
  /** The first ones are the threads' own stacks. */
  private readonly fibers: Fiber[];
  private readonly style: FiberStyle;
  private thread: Thread;
  private nowNs = 0;

  constructor(style: FiberStyle, steps: readonly FiberStep[]) {
    this.style = style;
    this.fibers = Array.from({ length: FIBERS }, (_, code) => ({
      frames: [],
      code: style.areAlike && code >= THREADS ? THREADS : code,
    }));
    this.threads = Array.from({ length: THREADS }, (_, running) => ({ tid: 7 + running, lines: [], running }));
    for (this.thread of this.threads) {
      this.enter(0);
      this.line('tr strt', '0 [unknown]', this.at(0));
    }
    this.thread = this.threads[0] as Thread;
    for (const step of steps) this.take(step);
    for (this.thread of this.threads) this.line('tr end  async', this.at(0x70), '0 [unknown]');
  }

  /** Returns the text of the trace, without the events that losses take out of it. */
  text(losses: readonly { at: number; length: number }[] = []): string {
    const lines = this.threads.flatMap((thread) => withLosses(thread.lines, losses));
    return `${lines.join('\n')}\n`;
  }

  private take({ what, which, ns }: FiberStep): void {
    const { frames } = this;
    if (what === 'thread') {
      this.spendAll(ns);
      this.thread = this.threads[which % THREADS] as Thread;
      return;
    }
    if (what === 'return' && frames.length === 1) return;
    this.spendAll(ns);
    if (what === 'call') this.call(1 + (which % 4));
    else if (what === 'return') this.return();
    else if (what === 'tail') this.jump(1 + (which % 4));
    else if (what === 'throw') this.throw(which);
    else if (what === 'signal') this.signal(ns);
    else if (what === 'drop') this.drop(which % FIBERS);
    else this.switchTo(which % FIBERS);
  }

  private call(which: number): void {
    const from = this.at(0x10 * which);
    this.top.resumeOffset = 0x10 * which + 5;
    this.enter(which);
    this.line('call', from, this.at(0));
  }

  private return(): void {
    if (this.top.isSignal) return this.endSignal();
    const from = this.at(0xf0);
    this.frames.pop();
    this.line('return', from, this.at(this.top.resumeOffset));
  }

  /** The function on top jumps to another one in its place. */
  private jump(which: number): void {
    if (this.frames.length === 1 || this.top.isSignal) return;
    const from = this.at(0xc0);
    this.frames.pop();
    this.enter(which);
    if (this.style.end !== 'hidden') this.line('jmp', from, this.at(0));
  }

  private switchTo(next: number): void {
    if (this.threads.some(({ running }) => running === next)) return;
    if (next < THREADS && this.thread !== this.threads[next]) return;
    const { switcher, end } = this.style;
    this.top.resumeOffset = 0xa5;
    this.line('call', this.at(0xa0), place(switcher, 0));
    this.spend(2, [switcher]);
    this.thread.running = next;
    if (this.frames.length === 0) this.enter(0);
    if (end !== 'hidden') this.line(end, place(switcher, 0x30), this.at(this.top.resumeOffset));
  }

  /** Forgets a fiber amid its work: it begins anew. */
  private drop(fiber: number): void {
    if (fiber < THREADS || this.threads.some(({ running }) => running === fiber)) return;
    (this.fibers[fiber] as Fiber).frames.length = 0;
  }

  /** An exception goes to a function below. */
  private throw(which: number): void {
    const down = 1 + (which % 3);
    const landing = this.frames.length - 1 - down;
    if (landing < 0 || this.frames.slice(landing).some(({ isSignal }) => isSignal)) return;
    this.line('call', this.at(0xb0), place('__cxa_throw', 0));
    this.spend(1, ['__cxa_throw']);
    this.line('call', place('__cxa_throw', 0x10), place('_Unwind_RaiseException', 0));
    const unwinder = ['__cxa_throw', '_Unwind_RaiseException'];
    this.callSteps(unwinder, 'uw_init_context_1', 0x10, 1);
    this.callSteps(unwinder, '_Unwind_RaiseException_Phase2', 0x20, 2 + down);
    this.spend(1, unwinder);
    this.frames.length = landing + 1;
    this.top.resumeOffset = 0x80;
    if (this.style.end !== 'hidden') this.line('jmp', place('_Unwind_RaiseException', 0xf0), this.at(0x80));
  }

  private callSteps(unwinder: string[], name: keyof typeof OTHERS, offset: number, steps: number): void {
    this.spend(1, unwinder);
    this.line('call', place('_Unwind_RaiseException', offset), place(name, 0));
    for (let step = 0; step < steps; step++) {
      this.spend(1, [...unwinder, name]);
      this.line('call', place(name, 0x10), place('uw_frame_state_for', 0));
      this.spend(1, [...unwinder, name, 'uw_frame_state_for']);
      this.line('return', place('uw_frame_state_for', 0xf0), place(name, 0x15));
    }
    this.spend(1, [...unwinder, name]);
    this.line('return', place(name, 0xf0), place('_Unwind_RaiseException', offset + 5));
  }

  private signal(ns: number): void {
    if (this.top.isSignal) return;
    this.line('tr end  async', this.at(0x60), '0 [unknown]');
    this.top.resumeOffset = 0x60;
    this.spend(ns, ['[untraced]']);
    this.enter(5, true);
    this.line('tr strt', '0 [unknown]', this.at(0));
  }

  private endSignal(): void {
    this.line('return', this.at(0xf0), place('__restore_rt', 0));
    this.frames.pop();
    this.spend(1, []);
    this.line('tr end  syscall', place('__restore_rt', 9), '0 [unknown]');
    this.spend(1, ['[syscall]']);
    this.line('tr strt', '0 [unknown]', this.at(this.top.resumeOffset));
  }

  private enter(which: number, isSignal = false): void {
    const { code } = this.fiber;
    const base = 0x100000 * (1 + code) + 0x1000 * which;
    this.frames.push({ name: `s${code}f${which}`, base, resumeOffset: 0, isSignal });
  }

  private get fiber(): Fiber {
    return this.fibers[this.thread.running] as Fiber;
  }

  private get frames(): OpenFunction[] {
    return this.fiber.frames;
  }

  private get top(): OpenFunction {
    return this.frames.at(-1) as OpenFunction;
  }

  /** Time passes: both threads run. */
  private spendAll(ns: number): void {
    const { thread } = this;
    for (this.thread of this.threads) this.charge(ns, []);
    this.thread = thread;
    this.nowNs += ns;
  }

  private spend(ns: number, callees: readonly string[]): void {
    const { thread } = this;
    for (this.thread of this.threads) this.charge(ns, this.thread === thread ? callees : []);
    this.thread = thread;
    this.nowNs += ns;
  }

  private charge(ns: number, callees: readonly string[]): void {
    const path = [...this.frames.map(({ name }) => name), ...callees].join(';');
    this.selfNs.set(path, (this.selfNs.get(path) ?? 0) + ns);
  }

  private at(offset: number): string {
    return `${(this.top.base + offset).toString(16)} ${this.top.name}+0x${offset.toString(16)}`;
  }

  private line(flags: string, from: string, to: string): void {
    const time = `1.${String(this.nowNs).padStart(9, '0')}`;
    this.thread.lines.push(`${this.thread.tid} [00${this.thread.tid - 7}] ${time}:   ${flags}   ${from} => ${to}`);
  }
}

function place(name: keyof typeof OTHERS, offset: number): string {
  return `${(OTHERS[name] + offset).toString(16)} ${name}+0x${offset.toString(16)}`;
}

export const fiberSteps = fc.array(
  fc.record({
    what: fc.oneof(
      ...Object.entries(WEIGHTS).map(([what, weight]) => ({
        arbitrary: fc.constant(what as FiberStep['what']),
        weight,
      })),
    ),
    which: fc.nat(59),
    ns: fc.integer({ min: 1, max: 50 }),
  }),
  { minLength: 30, maxLength: 150 },
);

/** Losses of a program: where, and how many lines. */
export const fiberLoss = fc.record({ at: fc.nat(99), length: fc.nat(30) });

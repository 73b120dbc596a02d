/**
 * Runs a fictitious program on several threads from a list of small decisions: the text that perf would print of it,
 * and the truth about it.
 */
import { CallList, type ReferenceCall, type ReferenceThread } from '../twin/reference-calls.js';

/** What the thread does, which function or call site it uses, and how long after the last event. */
export interface Decision {
  readonly what: 'call' | 'return' | 'tail' | 'syscall' | 'interrupt' | 'migrate';
  readonly which: number;
  readonly ns: number;
}

export interface TruthRow {
  calls: number;
  inferred: number;
  selfNs: number;
  completeNs: number;
}

export interface Execution {
  /** Lines of all threads, by time. */
  readonly lines: readonly { readonly cpu: number; readonly text: string }[];
  /** By path: names joined by ";". */
  readonly truth: ReadonlyMap<string, TruthRow>;
  /** Every call and every interval of time; times since the threads began. */
  readonly threads: readonly ReferenceThread[];
}

const FUNCTIONS = 12;
const CPUS = 4;
const START_NS = 5_000_000_000;

/** Runs each list of decisions as a thread. */
export function execute(threads: readonly (readonly Decision[])[]): Execution {
  const truth = new Map<string, TruthRow>();
  const runs = threads.map((_, index) => new Thread(1000 + index, index % CPUS, truth));
  const lines = threads.flatMap((decisions, index) => runs[index].run(decisions));
  lines.sort((a, b) => a.ns - b.ns || a.tid - b.tid);
  return {
    lines,
    truth,
    threads: runs.map(({ list, tid }) => ({ tid, calls: list.calls, intervals: list.intervals })),
  };
}

interface Line {
  readonly ns: number;
  readonly tid: number;
  readonly cpu: number;
  readonly text: string;
}

interface Frame {
  readonly fn: number;
  readonly path: string;
  readonly entryNs: number;
  /** The call that its level returns to; 0 for the root, which never returns. */
  readonly callIp: number;
  readonly isInferred: boolean;
  readonly isTail: boolean;
  readonly call: ReferenceCall;
}

class Thread {
  private nowNs = START_NS;
  private readonly lines: Line[] = [];
  private readonly frames: Frame[] = [];
  readonly list = new CallList();
  readonly tid: number;
  private cpu: number;
  private readonly truth: Map<string, TruthRow>;

  constructor(tid: number, cpu: number, truth: Map<string, TruthRow>) {
    this.tid = tid;
    this.cpu = cpu;
    this.truth = truth;
  }

  run(decisions: readonly Decision[]): Line[] {
    this.push(0, { callIp: 0, isInferred: true, isTail: false });
    this.print('tr strt', '0 [unknown]', location(0, 0));
    for (const decision of decisions) this.decide(decision);
    while (this.frames.length > 0) this.close('inferred');
    return this.lines;
  }

  private decide({ what, which, ns }: Decision): void {
    if (!this.canDo(what, which)) return;
    this.spend(ns);
    switch (what) {
      case 'call':
        return this.call(which);
      case 'return':
        return this.return();
      case 'tail':
        return this.tail(which);
      case 'syscall':
        return this.stop('tr end  syscall', '[syscall]', which, 2);
      case 'interrupt':
        return this.stop('tr end  async', '[untraced]', which, 0);
      case 'migrate':
        return this.stop('tr end  async', '[untraced]', which, 0, which % CPUS);
    }
  }

  private canDo(what: Decision['what'], which: number): boolean {
    const isInCall = this.top.callIp !== 0;
    if (what === 'return') return isInCall;
    return what !== 'tail' || (isInCall && which % FUNCTIONS !== this.top.fn);
  }

  private call(which: number): void {
    const callIp = 0x10 + 16 * (which % 100);
    const callee = which % FUNCTIONS;
    this.print('call', location(this.top.fn, callIp), location(callee, 0));
    this.push(callee, { callIp: addressOf(this.top.fn, callIp), isInferred: false, isTail: false });
  }

  private return(): void {
    const { fn } = this.top;
    while (this.top.isTail) this.close('complete');
    const { callIp } = this.top;
    this.close('complete');
    this.print('return', location(fn, 0xff0), location(this.top.fn, callIp + 5 - addressOf(this.top.fn, 0)));
  }

  private tail(which: number): void {
    const callee = which % FUNCTIONS;
    this.print('jmp', location(this.top.fn, 0xfe0), location(callee, 0));
    this.push(callee, { callIp: this.top.callIp, isInferred: false, isTail: true });
  }

  private stop(flags: string, name: string, ns: number, resumeOffset: number, cpu = this.cpu): void {
    const ip = 0x800;
    this.print(flags, location(this.top.fn, ip), '0 [unknown]');
    const row = this.row(`${this.top.path};${name}`);
    row.calls++;
    row.selfNs += ns;
    row.completeNs += ns;
    const call = this.list.open(name, this.sinceStartNs, this.stack, true);
    this.list.spend(call.stack, this.sinceStartNs, this.sinceStartNs + ns);
    this.nowNs += ns;
    this.list.close(call, this.sinceStartNs, null);
    this.cpu = cpu;
    this.print('tr strt', '0 [unknown]', location(this.top.fn, ip + resumeOffset));
  }

  private get top(): Frame {
    return this.frames.at(-1) as Frame;
  }

  private spend(ns: number): void {
    this.row(this.top.path).selfNs += ns;
    this.list.spend(this.stack, this.sinceStartNs, this.sinceStartNs + ns);
    this.nowNs += ns;
  }

  private get stack(): ReferenceCall[] {
    return this.frames.map(({ call }) => call);
  }

  private get sinceStartNs(): number {
    return this.nowNs - START_NS;
  }

  private push(fn: number, rest: Pick<Frame, 'callIp' | 'isInferred' | 'isTail'>): void {
    const path = this.frames.length === 0 ? `f${fn}` : `${this.top.path};f${fn}`;
    const call = this.list.open(`f${fn}`, this.sinceStartNs, this.stack);
    this.frames.push({ fn, path, entryNs: this.nowNs, ...rest, call });
  }

  private close(how: 'complete' | 'inferred'): void {
    const { path, entryNs, isInferred, call } = this.frames.pop() as Frame;
    this.list.close(call, this.sinceStartNs, isInferred ? 'OpenAtStart' : how === 'inferred' ? 'OpenAtEnd' : null);
    const row = this.row(path);
    row.calls++;
    if (isInferred || how === 'inferred') row.inferred++;
    else row.completeNs += this.nowNs - entryNs;
  }

  private row(path: string): TruthRow {
    let row = this.truth.get(path);
    if (row === undefined) this.truth.set(path, (row = { calls: 0, inferred: 0, selfNs: 0, completeNs: 0 }));
    return row;
  }

  private print(flags: string, from: string, to: string): void {
    const seconds = Math.floor(this.nowNs / 1e9);
    const time = `${seconds}.${String(this.nowNs % 1e9).padStart(9, '0')}`;
    const text = `${this.tid} [${String(this.cpu).padStart(3, '0')}] ${time}:   ${flags.padEnd(21)} ${from} => ${to}`;
    this.lines.push({ ns: this.nowNs, tid: this.tid, cpu: this.cpu, text });
  }
}

function addressOf(fn: number, offset: number): number {
  return 0x400000 + fn * 0x1000 + offset;
}

function location(fn: number, offset: number): string {
  return `${addressOf(fn, offset).toString(16).padStart(16)} f${fn}+0x${offset.toString(16)}`;
}

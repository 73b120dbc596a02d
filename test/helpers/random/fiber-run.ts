/**
 * Runs a thread with several stacks from random decisions: the text of its trace, and its true self times.
 */
import fc from 'fast-check';

export interface FiberDecision {
  readonly what: 'call' | 'return' | 'switch';
  readonly which: number;
  readonly ns: number;
}

interface OpenFunction {
  readonly name: string;
  readonly base: number;
  /** Offset of the instruction after the call that it is in. */
  resumeOffset: number;
}

const STACKS = 4;
const SWITCH_BASE = 0x900000;

/** A thread with its own stack and some fibers, each with functions that no other stack has; unless all fibers are alike. */
export class FiberRun {
  readonly lines: string[] = [];
  readonly selfNs = new Map<string, number>();
  /** In order: the first function of each stack but the thread's own that was gone on with, and who did so. */
  readonly resumptions: string[] = [];
  private readonly stacks: OpenFunction[][] = Array.from({ length: STACKS }, () => []);
  private running = 0;
  private nowNs = 0;
  private readonly areAlike: boolean;

  constructor(areAlike = false) {
    this.areAlike = areAlike;
    this.enter(0);
    this.line('tr strt', '0 [unknown]', this.location(0));
  }

  decide({ what, which, ns }: FiberDecision): void {
    if (what === 'return' && this.stack.length === 1) return;
    if (what === 'switch' && which % STACKS === this.running) return;
    this.spend(ns, '');
    if (what === 'call') this.call(which % 4);
    else if (what === 'return') this.return();
    else this.switchTo(which % STACKS, ns);
  }

  private call(which: number): void {
    const from = this.location(0x10 + 0x10 * which);
    this.top.resumeOffset = 0x15 + 0x10 * which;
    this.enter(1 + which);
    this.line('call', from, this.location(0));
  }

  /** Ends the trace in the running function. */
  end(): void {
    this.spend(1, '');
    this.line('tr end  async', this.location(0x70), '0 [unknown]');
  }

  private return(): void {
    const from = this.location(0xf0);
    this.stack.pop();
    this.line('return', from, this.location(this.top.resumeOffset));
  }

  private switchTo(next: number, ns: number): void {
    this.top.resumeOffset = 0xa5;
    this.line('call', this.location(0xa0), `${SWITCH_BASE.toString(16)} swapcontext+0x0`);
    this.spend(ns, ';swapcontext');
    const by = this.top.name;
    this.running = next;
    if (this.stack.length === 0) this.enter(0);
    if (next !== 0) this.resumptions.push(`${(this.stack[0] as OpenFunction).name} by ${by}`);
    this.line('return', `${(SWITCH_BASE + 0x30).toString(16)} swapcontext+0x30`, this.location(this.top.resumeOffset));
  }

  private enter(which: number): void {
    const code = this.areAlike ? Math.min(1, this.running) : this.running;
    this.stack.push({ name: `s${code}f${which}`, base: 0x100000 * (1 + code) + 0x1000 * which, resumeOffset: 0 });
  }

  private get stack(): OpenFunction[] {
    return this.stacks[this.running];
  }

  private get top(): OpenFunction {
    return this.stack.at(-1) as OpenFunction;
  }

  private spend(ns: number, callee: string): void {
    const own = this.stacks[0];
    const names = own.map(({ name }) => name);
    if (this.running !== 0) names.push('swapcontext', ...this.stack.map(({ name }) => name));
    const path = names.join(';') + callee;
    this.selfNs.set(path, (this.selfNs.get(path) ?? 0) + ns);
    this.nowNs += ns;
  }

  private location(offset: number): string {
    return `${(this.top.base + offset).toString(16)} ${this.top.name}+0x${offset.toString(16)}`;
  }

  private line(flags: string, from: string, to: string): void {
    this.lines.push(`7 [000] 1.${String(this.nowNs).padStart(9, '0')}:   ${flags}   ${from} => ${to}`);
  }
}

/** Takes lines out of the trace of a thread, so that it starts anew after each loss. `at` and `length` are in percent. */
export function withLosses(lines: readonly string[], losses: readonly { at: number; length: number }[]): string[] {
  const left = [...lines];
  for (const { at, length } of losses) {
    const first = 1 + Math.floor((at * left.length) / 100);
    const count = Math.ceil((length * left.length) / 100);
    const next = /^.*? 1\.(\d+): +(?:call|return|tr end {2}async) +(\w+ \S+)/.exec(left[first + count] ?? '');
    const lost = / 1\.(\d+):/.exec(left[first - 1] as string);
    if (next === null || lost === null || Number(next[1]) <= Number(lost[1]) + 1) continue;
    const ns = String(Number(lost[1]) + 1).padStart(9, '0');
    const [tid, cpu] = (left[0] as string).split(' ');
    const error = ` instruction trace error type 1 time 1.${ns} cpu 0 pid 7 tid ${tid} ip 0 code 7: Overflow packet`;
    left.splice(first, count, error, `${tid} ${cpu} 1.${next[1]}:   tr strt   0 [unknown] => ${next[2]}`);
  }
  return left;
}

export const fiberDecisions = fc.array(
  fc.record({
    what: fc.constantFrom('call', 'call', 'return', 'switch'),
    which: fc.nat(11),
    ns: fc.integer({ min: 1, max: 50 }),
  }),
  { maxLength: 120 },
);

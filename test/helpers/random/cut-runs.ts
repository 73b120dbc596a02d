/**
 * Random runs of threads that can mostly be cut into parts: calls, returns, jumps and stops as programs do them, and now and
 * then otherwise; records among them; CPUs whose clocks differ, and times that step back a little.
 */
import fc from 'fast-check';

const FUNCTIONS = ['main', 'f1', 'f2', 'f3', 'f4', 'f5@plt', '_start', '[unknown]'];
const USUAL = 5;
/** Where a function calls others, stops, and returns. */
const [CALL, STOP, RETURN] = [0x100, 0x800, 0xf0];
const START_NS = 1_000_000_000;

const WHAT = {
  usual: ['call', 'call', 'call', 'return', 'return', 'return', 'stay', 'jump', 'stop', 'stop'],
  odd: ['hop', 'skip', 'lost return', 'signal', 'switch', 'switch', 'move', 'move', 'back', 'error'],
} as const;
type What = (typeof WHAT)[keyof typeof WHAT][number];

const step = fc.record({
  what: fc.oneof(
    { weight: 8, arbitrary: fc.constantFrom<What>(...WHAT.usual) },
    { weight: 1, arbitrary: fc.constantFrom<What>(...WHAT.odd) },
  ),
  which: fc.oneof({ weight: 12, arbitrary: fc.nat(USUAL - 1) }, fc.nat(FUNCTIONS.length - 1)),
  ns: fc.constantFrom(0, 0, 1, 5, 10, 10, 30, 1000, 90_000, 300_000),
});
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

/** By CPU: how late its clock is. */
const clocks = fc.constantFrom([0], [0], [0, 40_000, -20_000], [0, 3, 250_000]);

const thread = fc.record({
  steps: fc.array(step, { minLength: 4, maxLength: 40 }),
  clocks,
  isStrict: fc.boolean(),
});

/** Lines of up to three threads: what one shows is where another may be. */
export const cutRuns: fc.Arbitrary<string[]> = fc
  .array(thread, { minLength: 1, maxLength: 3 })
  .map((threads) => threads.flatMap(({ steps, clocks, isStrict }, at) => new Run(1 + at, clocks, isStrict).of(steps)));

interface Level {
  fn: number;
  /** The offset in the caller to which it returns. */
  readonly returnsTo: number;
}

class Run {
  private readonly lines: string[] = [];
  private readonly levels: Level[] = [{ fn: 0, returnsTo: 0x500 }];
  private nowNs = START_NS;
  private cpu = 0;
  /** Where the trace stopped; null: it runs. */
  private stoppedAt: number | null = null;

  /** `isStrict`: it does nothing while the trace is stopped. */
  constructor(
    private readonly tid: number,
    private readonly clocks: readonly number[],
    private readonly isStrict: boolean,
  ) {}

  of(steps: readonly Step[]): string[] {
    for (const each of steps) this.do(each);
    return this.lines;
  }

  private get top(): Level {
    return this.levels.at(-1) as Level;
  }

  private do({ what, which, ns }: Step): void {
    this.nowNs += ns;
    if (what === 'switch') return this.record(`PERF_RECORD_SWITCH ${['OUT', 'IN', 'OUT preempt'][which % 3]}`);
    if (what === 'error') return this.error(which);
    if (what === 'move') return this.move(which);
    if (what === 'back') {
      this.nowNs -= 20 + 500 * which;
      return;
    }
    if (this.stoppedAt !== null && (this.isStrict || which > 0)) return this.start(what === 'signal' ? which : null);
    this.branch(what, which);
  }

  private branch(what: What, which: number): void {
    const { top, levels } = this;
    switch (what) {
      case 'call': {
        const from = CALL + 16 * (which % 3);
        this.print('call', at(top.fn, from), at(which, 0));
        levels.push({ fn: which, returnsTo: from + 5 });
        return;
      }
      case 'return':
        return this.return();
      case 'skip':
        if (levels.length > 2) levels.splice(-2, 1);
        return this.return();
      case 'lost return':
        return this.print('return', at(top.fn, RETURN), at(which, CALL + 5));
      case 'stay':
        return this.print('jcc', at(top.fn, 0x40), at(top.fn, 0x50));
      case 'hop':
        top.fn = which;
        return;
      case 'jump':
        this.print('jmp', at(top.fn, 0xe0), at(which, which % 2 === 0 ? 0 : 0x30));
        top.fn = which;
        return;
      default:
        this.print(
          ['tr end  syscall', 'tr end  async', 'tr end'][which % 3] as string,
          at(top.fn, STOP),
          '0 [unknown]',
        );
        this.stoppedAt = which % 3 === 0 ? STOP + 2 : STOP;
    }
  }

  private return(): void {
    const { fn, returnsTo } = this.top;
    if (this.levels.length > 1) this.levels.pop();
    else this.top.fn = (fn + 1) % USUAL;
    this.print('return', at(fn, RETURN), at(this.top.fn, returnsTo));
  }

  /** `handler`: of a signal; null: the trace goes on where it stopped. */
  private start(handler: number | null): void {
    const offset = this.stoppedAt ?? STOP;
    this.stoppedAt = null;
    if (handler !== null) this.levels.push({ fn: handler, returnsTo: 0x700 });
    this.print('tr strt', '0 [unknown]', at(this.top.fn, handler === null ? offset : 0));
  }

  /** To another CPU: while the trace is stopped, or unseen. */
  private move(which: number): void {
    const { length } = this.clocks;
    if (which % 2 === 0 && this.stoppedAt === null) this.branch('stop', 1);
    this.cpu = (this.cpu + 1 + which) % length;
  }

  private print(flags: string, from: string, to: string): void {
    this.record(`  ${flags.padEnd(21)} ${from} => ${to}`);
  }

  private record(text: string): void {
    this.lines.push(`${this.tid} [00${this.cpu}] ${this.seconds}: ${text}`);
  }

  private error(which: number): void {
    const where = which === 0 ? '' : `cpu ${this.cpu} pid 1 tid ${this.tid} `;
    this.lines.push(` instruction trace error type 1 time ${this.seconds} ${where}ip 0 code 7: Overflow packet`);
  }

  private get seconds(): string {
    const ns = Math.max(0, this.nowNs + (this.clocks[this.cpu] ?? 0));
    return `${Math.floor(ns / 1e9)}.${String(ns % 1e9).padStart(9, '0')}`;
  }
}

function at(fn: number, offset: number): string {
  const name = FUNCTIONS[fn] as string;
  const address = (0x400000 + 0x1000 * fn + offset).toString(16).padStart(16);
  return name === '[unknown]' ? `${address} ${name}` : `${address} ${name}+0x${offset.toString(16)}`;
}

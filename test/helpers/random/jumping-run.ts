/**
 * Random runs of one thread in which functions call, jump and stop in every way, mostly as programs do: in shorthand.
 */
import type { Random } from '../../../fuzz/random.js';

const PLAIN = ['main', 'a', 'b', 'c', 'd', 'e', 'f', 'g'];
const STUBS = ['a@plt', 'b@plt', 'c@plt', 'gone@plt', '__x86_indirect_thunk_rax'];
/** Code without a name, parts of functions, and names that have rules of their own. */
const NAMELESS = ['?x', '?y', '?z'];
const ODD = [
  ...['a~2', 'b~2', 'b~3', '_start', '_dl_runtime_resolve', '__x86_return_thunk', '_init'],
  ...['__cxa_throw', '_Unwind_Resume', 'longjmp', 'swapcontext', '__restore_rt'],
];

/** Functions of the open levels: what was called, and what runs of it now. */
class Run {
  private readonly lines: string[] = [];
  private readonly levels: string[] = ['main'];
  private readonly random: Random;
  private ns = 0;
  private readonly lossesAre: number;

  constructor(random: Random) {
    this.random = random;
    this.lossesAre = random.pick([1, 4, 100]);
  }

  of(events: number): string {
    while (this.lines.length < events) this.step();
    return this.lines.join('\n');
  }

  private get top(): string {
    return this.levels.at(-1) as string;
  }

  private step(): void {
    const { random } = this;
    const choice = random.below(100);
    if (choice < 34) this.call('call');
    else if (choice < 62) this.return();
    else if (choice < 88) this.jump();
    else if (choice < 91)
      this.levels[this.levels.length - 1] = this.anyFunction(); // a hidden jump
    else if (choice < 93) this.throwTo();
    else if (choice < 97) this.stop();
    else if (choice < 98) this.call(random.pick(['syscall', 'hw int']));
    else if (choice < 99) this.print(`PERF_RECORD_SWITCH ${random.pick(['IN', 'OUT'])}`);
    else if (random.oneIn(this.lossesAre)) this.print('error');
  }

  private call(flags: string): void {
    const target = this.anyFunction();
    this.print(`${flags} ${this.top} ${target}`);
    this.levels.push(target);
  }

  private return(): void {
    const from = this.levels.length > 1 ? this.levels.pop() : this.top;
    this.print(`${this.random.oneIn(40) ? 'iret' : 'return'} ${from} ${this.random.oneIn(60) ? 'lost' : this.top}`);
  }

  /** Stubs jump to what they are named after; a jump into the middle of a function leads back to it, as a rule. */
  private jump(): void {
    const { random } = this;
    const target = STUBS.includes(this.top) && !random.oneIn(8) ? (this.top[0] as string) : this.anyFunction();
    const isInside = random.oneIn(NAMELESS.includes(target) ? 2 : 12);
    this.print(`jmp ${this.top} ${target}${isInside ? '+0x40' : ''}`);
    this.levels[this.levels.length - 1] = target;
  }

  /** Control goes to a level further down. */
  private throwTo(): void {
    this.levels.splice(1 + this.random.below(this.levels.length));
  }

  private stop(): void {
    const flags = this.random.pick(['tr end  syscall', 'tr end  async', 'tr end']);
    this.print(`${flags} ${this.top}`);
    if (this.random.oneIn(8)) this.levels.push(this.anyFunction());
    this.print(`tr strt ${this.top}`);
  }

  private anyFunction(): string {
    const { random } = this;
    const kind = random.below(20);
    if (kind < 11) return random.pick(PLAIN);
    if (kind < 15) return random.pick(STUBS);
    return random.pick(kind < 18 ? NAMELESS : ODD);
  }

  private print(text: string): void {
    this.ns += this.random.pick([0, 1, 7, 100]);
    this.lines.push(`${this.ns} ${text}`);
  }
}

export function jumpingRun(random: Random, events: number): string {
  return new Run(random).of(events);
}

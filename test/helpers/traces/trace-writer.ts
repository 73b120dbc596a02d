/**
 * Writes long traces line by line: functions are numbers or names, and each line is one nanosecond later.
 */
type Fn = number | string;

const FIRST_NAMED = 100_000;
const CALL = 0x10;
const STOP = 0x100;

export class TraceWriter {
  private readonly lines: string[] = [];
  private readonly names: string[] = [];

  call(from: Fn, to: Fn, offset = CALL): void {
    this.branch('call', location(from, offset, this.idOf(from)), location(to, 0, this.idOf(to)));
  }

  /** Returns to the address after the call that `to` made at an offset. */
  return(from: Fn, to: Fn, offset = CALL): void {
    this.branch('return', location(from, 0xf0, this.idOf(from)), location(to, offset + 5, this.idOf(to)));
  }

  /** Returns to the first byte of a function, as a `ret` that is used as a jump. */
  returnInto(from: Fn, to: Fn): void {
    this.branch('return', location(from, 0xf0, this.idOf(from)), location(to, 0, this.idOf(to)));
  }

  jump(from: Fn, to: Fn, offset = 0): void {
    this.branch('jmp', location(from, 0xe0, this.idOf(from)), location(to, offset, this.idOf(to)));
  }

  start(at: Fn, offset = STOP): void {
    this.branch('tr strt', '0 [unknown]', location(at, offset, this.idOf(at)));
  }

  stop(at: Fn): void {
    this.branch('tr end  async', location(at, STOP, this.idOf(at)), '0 [unknown]');
  }

  record(text: string): void {
    this.lines.push(`1 [000] ${this.time()}: PERF_RECORD_${text}`);
  }

  error(tid: 1 | -1 = 1): void {
    const { length } = this.lines;
    const ids = `cpu 0 pid ${tid} tid ${tid} ip ${length}`; // all different, because equal errors count once
    this.lines.push(` instruction trace error type 1 time ${this.time()} ${ids} code 7: Overflow packet`);
  }

  get text(): string {
    return this.lines.map((line) => `${line}\n`).join('');
  }

  private branch(flags: string, from: string, to: string): void {
    this.lines.push(`1 [000] ${this.time()}:   ${flags}   ${from} => ${to}`);
  }

  private time(): string {
    return `1.${String(this.lines.length).padStart(9, '0')}`;
  }

  private idOf(fn: Fn): number {
    if (typeof fn === 'number') return fn;
    if (!this.names.includes(fn)) this.names.push(fn);
    return FIRST_NAMED + this.names.indexOf(fn);
  }
}

export function times(count: number, what: (i: number) => void): void {
  for (let i = 0; i < Math.floor(count); i++) what(i);
}

function location(fn: Fn, offset: number, id: number): string {
  const name = typeof fn === 'number' ? `f${fn}` : fn;
  return `${(0x400000 + id * 0x1000 + offset).toString(16)} ${name}+0x${offset.toString(16)}`;
}

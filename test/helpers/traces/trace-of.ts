/**
 * Expands traces written in shorthand: a line is `TIME FLAGS FROM TO`; addresses are chosen so that returns match their
 * calls.
 *
 *     10  call             main  a
 *     30  return           a     main      lands after the call that main made
 *     40  tr end  syscall  main
 *     50  tr strt                main      continues where main stopped
 *
 * `name+0x20` gives an offset; `name~2` is another function with that name; `?` is a function without a name; `k:name` is
 * one of the kernel; `tid/` before the time names a thread, 1 by default.
 */
interface OpenCall {
  readonly caller: string;
  readonly returnsTo: number;
}

const FLAGS =
  /^(tr end {2}\w+|tr end|tr strt|call|return|jmp|jcc|syscall|sysret|hw int|iret|tx abrt|vmentry|vmexit)\b *(.*)$/;
const KERNEL = 'k:';
const FIRST_CALL = 0x100;
const UNSEEN_CALL = 0x500;
const STOP = 0x800;

class Shorthand {
  private readonly bases = new Map<string, number>();
  private open: OpenCall[] = [];
  private readonly openOf = new Map<string, OpenCall[]>();
  private readonly callSites = new Map<string, number>();
  private readonly stoppedAt = new Map<string, number>();

  line(text: string): string {
    const [, tid = '1', time = '0', rest = ''] = /^(?:(\d+)\/)?(\d+) +(.*)$/.exec(text) ?? [];
    this.open = this.openOf.get(tid) ?? [];
    this.openOf.set(tid, this.open);
    if (rest.startsWith('PERF_RECORD')) return `${tid} [000] ${seconds(time)}: ${rest}`;
    if (rest.startsWith('error'))
      return ` instruction trace error type 1 time ${seconds(time)} cpu 0 pid 1 tid ${tid} ip 0 code 7: Overflow packet`;
    const [, flags = '', operands = ''] = FLAGS.exec(rest) ?? [];
    const [first = '', second = ''] = operands.split(/ +/);
    return `${tid} [000] ${seconds(time)}:   ${flags}   ${this.ends(flags, first, second)}`;
  }

  private ends(flags: string, first: string, second: string): string {
    if (flags === 'tr end  return' && second !== '')
      return `${this.at(first, 0xf0)} => ${this.at(second, this.return(second))}`;
    if (flags === 'tr end  call' && second !== '')
      return `${this.at(first, this.stop(flags, first))} => ${this.at(second, 0)}`;
    if (flags === 'vmentry') return `${this.at(first, STOP)} => 0 [unknown]`;
    if (flags === 'vmexit') return `0 [unknown] => ${this.at(first, 0)}`;
    if (flags === 'tr strt') return `0 [unknown] => ${this.at(first, this.stoppedAt.get(first) ?? 0x900)}`;
    if (flags.startsWith('tr end')) return `${this.at(first, this.stop(flags, first))} => 0 [unknown]`;
    if (flags === 'call') return `${this.at(first, this.call(first))} => ${this.at(second, 0)}`;
    if (flags === 'return') return `${this.at(first, 0xf0)} => ${this.at(second, this.return(second))}`;
    return `${this.at(first, 0xe0)} => ${this.at(second, 0)}`;
  }

  private stop(flags: string, name: string): number {
    this.stoppedAt.set(name, flags.endsWith('syscall') ? STOP + 2 : STOP);
    return STOP;
  }

  private call(caller: string): number {
    const offset = this.callSites.get(caller) ?? FIRST_CALL;
    this.callSites.set(caller, offset + 0x10);
    this.open.push({ caller, returnsTo: offset + 5 });
    return offset;
  }

  private return(caller: string): number {
    const index = this.open.findLastIndex((call) => call.caller === caller);
    if (index === -1) return UNSEEN_CALL;
    const [call] = this.open.splice(index);
    return call.returnsTo;
  }

  private at(name: string, offset: number): string {
    const [, bare = name, given] = /^(.*)\+0x([0-9a-f]+)$/.exec(name) ?? [];
    if (!this.bases.has(bare)) this.bases.set(bare, 0x1000000 + 0x20000 * this.bases.size);
    const within = given === undefined ? offset : Number.parseInt(given, 16);
    const digits = ((this.bases.get(bare) as number) + within).toString(16);
    const address = bare.startsWith(KERNEL) ? digits.padStart(16, 'ffffffff8') : digits;
    const [symbol = ''] = bare.replace(KERNEL, '').split('~');
    return symbol.startsWith('?') ? `${address} [unknown]` : `${address} ${symbol}+0x${within.toString(16)}`;
  }
}

/** Returns a time in nanoseconds as perf prints it, a second later. */
function seconds(ns: string): string {
  const digits = ns.padStart(10, '0');
  return `${1 + Number(digits.slice(0, -9))}.${digits.slice(-9)}`;
}

/** Returns the text that perf would print. */
export function traceOf(shorthand: string): string {
  const writer = new Shorthand();
  const lines = shorthand
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean);
  return `${lines.map((line) => writer.line(line)).join('\n')}\n`;
}

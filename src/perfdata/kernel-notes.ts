/**
 * What was noted of the kernel when a recording began: its functions, by which call chains get names, and where threads were
 * blocked.
 */
import { latin1Text } from '../codec/bytes.js';
import { countAtOrBelow } from '../model/columns.js';
import { readU64 } from './file-parts.js';

/** A thread that waited when the recording began. */
export interface BlockedThread {
  readonly pid: number;
  readonly tid: number;
  /** Functions, the outermost first, separated by ";". */
  readonly stack: string;
}

/** Functions by address; those of other addresses are not known. */
export class KernelNotes {
  readonly blocked: readonly BlockedThread[];
  private readonly starts: Float64Array;
  private readonly sizes: Float64Array;
  private readonly names: readonly string[];
  /** Chains repeat: by their bytes. */
  private readonly known = new Map<string, string>();

  /**
   * `notes`: may have lines like "kernel ffffffff81441700 d3 futex_wait" (address, size, name), and like "blocked 77 78
   * do_sys_poll;schedule" (process, thread, stack).
   */
  constructor(notes: string) {
    this.blocked = Array.from(notes.matchAll(BLOCKED), ([, pid, tid, stack]) => {
      return { pid: Number(pid), tid: Number(tid), stack: stack as string };
    });
    const lines = Array.from(notes.matchAll(NOTE), ([, at, size, name]) => {
      return { at: offsetOf(at as string), size: Number.parseInt(size as string, 16), name: name as string };
    });
    lines.sort((a, b) => a.at - b.at);
    this.starts = Float64Array.from(lines, ({ at }) => at);
    this.sizes = Float64Array.from(lines, ({ size }) => size);
    this.names = lines.map(({ name }) => name);
  }

  get hasFunctions(): boolean {
    return this.names.length > 0;
  }

  /**
   * Returns the known functions of a chain, the outermost first, separated by ";"; `UNNAMED`: it has none of them; "": the
   * chain has nothing of the kernel. `at`: of the number of its entries.
   */
  stackOf(view: DataView, at: number, end: number): string {
    if (at + 8 > end) return '';
    const chainEnd = at + 8 + 8 * readU64(view, at);
    if (chainEnd > end) return '';
    const key = latin1Text(new Uint8Array(view.buffer, view.byteOffset + at, chainEnd - at));
    let stack = this.known.get(key);
    if (stack === undefined) {
      stack = this.namesOf(view, at + 8, chainEnd);
      if (this.known.size < MAX_KNOWN) this.known.set(key, stack);
    }
    return stack;
  }

  private namesOf(view: DataView, at: number, end: number): string {
    const names: string[] = [];
    let isKernel = false;
    let hasKernel = false;
    for (let next = at; next < end; next += 8) {
      const high = view.getUint32(next + 4, true);
      const low = view.getUint32(next, true);
      if (high === ALL_ONES && low >= FIRST_CONTEXT) isKernel = low === KERNEL_CONTEXT;
      else if (isKernel) {
        hasKernel = true;
        const name = this.nameAt((high - KERNEL_HALF) * 2 ** 32 + low - 1); // it returns to behind the call
        if (name !== null) names.push(name);
      }
    }
    return names.length > 0 ? names.reverse().join(';') : hasKernel ? UNNAMED : '';
  }

  private nameAt(offset: number): string | null {
    const row = countAtOrBelow(this.starts, offset) - 1;
    return row >= 0 && offset < this.starts[row] + this.sizes[row] ? (this.names[row] as string) : null;
  }
}

export const UNNAMED = '[kernel]';
const MAX_KNOWN = 65_536;
const NOTE = /^kernel (f{4}[0-9a-f]{12}) ([0-9a-f]{1,8}) ([\w.$]{1,512})$/gm;

const BLOCKED = /^blocked (\d{1,7}) (\d{1,7}) ([\w.$;]{1,8192})$/gm;

/** Markers in a chain say whose the entries after them are (perf_event_open(2), PERF_CONTEXT_*): -128 is the kernel. */
const ALL_ONES = 0xffff_ffff;
const FIRST_CONTEXT = 0xffff_f000;
const KERNEL_CONTEXT = 0xffff_ff80;
/** Addresses of the kernel are counted from here, so that they are exact numbers. */
const KERNEL_HALF = 0xffff_0000;

/** `address`: sixteen digits. */
function offsetOf(address: string): number {
  return (Number.parseInt(address.slice(0, 8), 16) - KERNEL_HALF) * 2 ** 32 + Number.parseInt(address.slice(8), 16);
}

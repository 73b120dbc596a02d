/**
 * Names addresses of the kernel as perf does, from a copy of `/proc/kallsyms`: lines of address, type, name and module.
 */
import { latin1Text } from '../codec/bytes.js';
import { countAtOrBelow } from '../model/columns.js';
import type { Address } from '../model/units.js';

export interface KernelSymbol {
  readonly name: string;
  readonly start: Address;
  /** The address after its last byte. */
  readonly end: Address;
  /** As perf prints it: `[kernel.kallsyms]`, or the module in brackets. */
  readonly file: string;
}

export const KERNEL_FILE = '[kernel.kallsyms]';

/** As perf does: code and data. "ffffffffc0201040 t vring_map_one_sg	[virtio_ring]" */
const LINE = /^(f[0-9a-f]{15}) ([TtWwDdBb]) (\S+)(?:\t(\[\S+\]))?$/gm;
const PAGE_BYTES = 4096;
/** Far more than any kernel has: 200,000 symbols, in 10 MB. */
export const MAX_KALLSYMS_BYTES = 32 * 1024 * 1024;
const MAX_SYMBOLS = 1_000_000;

export class KernelSymbols {
  /** One symbol for each start, by start. */
  private readonly starts: Float64Array;
  private readonly rows: readonly Row[];

  constructor(text: Uint8Array) {
    const rows: Row[] = [];
    for (const row of rowsOf(text)) {
      if (rows.length === MAX_SYMBOLS) break;
      rows.push(row);
    }
    rows.sort((a, b) => a.start - b.start);
    // as perf does: of symbols with one start, only the last has a size
    this.rows = rows.filter(({ start }, row) => rows[row + 1]?.start !== start);
    this.starts = Float64Array.from(this.rows, ({ start }) => start);
  }

  /** Returns the symbol that holds an address, or null. */
  at(address: Address): KernelSymbol | null {
    const row = countAtOrBelow(this.starts, address) - 1;
    const found = this.rows[row];
    if (found === undefined) return null;
    const end = this.endOf(found, this.rows[row + 1]);
    return address < end ? { ...found, end } : null;
  }

  /** Returns where a symbol begins; null: there is none of that name. */
  named(name: string): Address | null {
    return this.rows.find((row) => row.name === name && row.file === KERNEL_FILE)?.start ?? null;
  }

  /** As perf does: up to the next one; the last of the kernel or of a module, to the end of the page after its own. */
  private endOf({ start, file }: Row, next: Row | undefined): Address {
    if (next?.file === file) return next.start;
    const end = Math.ceil(start / PAGE_BYTES) * PAGE_BYTES + PAGE_BYTES;
    return next === undefined ? end : Math.min(end, next.start);
  }
}

type Row = Omit<KernelSymbol, 'end'>;

function* rowsOf(text: Uint8Array): Generator<Row> {
  for (const [, address, , name, file = KERNEL_FILE] of latin1Text(text).matchAll(LINE))
    yield { start: addressOf(address as string), name: name as string, file };
}

/** Returns the address of the first symbol of the kernel that has a name, whichever others begin there; null: there is none. */
export function symbolAddress(text: Uint8Array, name: string): Address | null {
  for (const row of rowsOf(text)) if (row.name === name && row.file === KERNEL_FILE) return row.start;
  return null;
}

/** Sixteen digits. */
function addressOf(digits: string): Address {
  return (Number.parseInt(digits.slice(0, 8), 16) - 2 ** 32) * 2 ** 32 + Number.parseInt(digits.slice(8), 16);
}

/**
 * Converts addresses to offsets in files, if all mappings that cover an address agree.
 *
 * The process of an address is unknown here, and programs that load at the same address (not position-independent ones)
 * may disagree. Then the file that perf printed decides, or the offset stays unknown.
 */
import { bracketedName, isMadeAtRunTime } from '../../model/symbol-table.js';
import type { Mapping } from '../../model/trace/trace-chunk.js';
import type { Address } from '../../model/units.js';

export interface FileOffset {
  readonly file: string;
  readonly offset: number;
}

export interface PrintedAddress {
  readonly address: Address;
  /** As perf printed it; null if it did not. */
  readonly file: string | null;
}

/** Returns null where the mappings do not decide. A single pass over both lists, each sorted by address. */
export function fileOffsets(mappings: readonly Mapping[], printed: readonly PrintedAddress[]): (FileOffset | null)[] {
  const known = mappings
    .filter(({ file, start, fileOffset }) => !isMadeAtRunTime(file) && Number.isInteger(start - fileOffset))
    .map((mapping) => ({ ...mapping, file: printedName(mapping.file) }));
  const begins = known.toSorted((a, b) => a.start - b.start);
  const ends = known.toSorted((a, b) => endOf(a) - endOf(b));
  const open = new OpenMappings();
  const offsets = new Array<FileOffset | null>(printed.length).fill(null);
  let begun = 0;
  let ended = 0;
  const rows = [...printed.entries()].sort(([, a], [, b]) => a.address - b.address);
  for (const [row, { address, file }] of rows) {
    while (begun < begins.length && begins[begun].start <= address) open.add(begins[begun++], 1);
    while (ended < ends.length && endOf(ends[ended]) <= address) open.add(ends[ended++], -1);
    offsets[row] = open.offsetAt(address, file);
  }
  return offsets;
}

/** perf maps `[kernel.kallsyms]_text` but prints `[kernel.kallsyms]`. */
function printedName(file: string): string {
  const name = bracketedName(file);
  return name === null ? file : `[${name}]`;
}

function endOf({ start, length }: Mapping): Address {
  return start + length;
}

/** Returns the address of a file's first byte. Without a path: of the mapping, as kernel offsets are addresses. */
function fileStartOf({ file, start, fileOffset }: Mapping): Address {
  return bracketedName(file) === null ? start - fileOffset : start;
}

/** Counts the mappings that cover the current address, by file and by start address of the file. */
class OpenMappings {
  private readonly starts = new Map<string, Map<Address, number>>();

  add(mapping: Mapping, count: 1 | -1): void {
    const starts = this.starts.get(mapping.file) ?? new Map<Address, number>();
    const start = fileStartOf(mapping);
    const left = (starts.get(start) ?? 0) + count;
    if (left === 0) starts.delete(start);
    else starts.set(start, left);
    if (starts.size === 0) this.starts.delete(mapping.file);
    else this.starts.set(mapping.file, starts);
  }

  offsetAt(address: Address, file: string | null): FileOffset | null {
    const { starts } = this;
    const found = file ?? (starts.size === 1 ? (starts.keys().next().value as string) : null);
    const startsOfFile = found === null ? undefined : starts.get(found);
    if (found === null || startsOfFile?.size !== 1) return null;
    return { file: found, offset: address - (startsOfFile.keys().next().value as Address) };
  }
}

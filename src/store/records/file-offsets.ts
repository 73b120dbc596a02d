/**
 * Addresses in, the places in files that they stand for out, where all mappings that cover an address agree on it.
 *
 * Which process an address belongs to is not known here: programs that are loaded at the same address, as those that are not
 * position-independent, may disagree. Then the file that perf printed decides, or nothing does.
 */
import { bracketedName, isMadeAtRunTime } from '../../model/names/mapped-files.js';
import type { Mapping } from '../../model/trace/trace-chunk.js';
import type { Address } from '../../model/units.js';

export interface FileOffset {
  readonly file: string;
  /** Of the address in the file. */
  readonly offset: number;
}

export interface PrintedAddress {
  readonly address: Address;
  /** As perf printed it; null: it did not. */
  readonly file: string | null;
}

/** null where the mappings do not tell. One pass over both, each in the order of addresses. */
export function fileOffsets(mappings: readonly Mapping[], asked: readonly PrintedAddress[]): (FileOffset | null)[] {
  const known = mappings
    .filter(({ file, start, fileOffset }) => !isMadeAtRunTime(file) && Number.isInteger(start - fileOffset))
    .map((mapping) => ({ ...mapping, file: plainName(mapping.file) }));
  const begins = known.toSorted((a, b) => a.start - b.start);
  const ends = known.toSorted((a, b) => endOf(a) - endOf(b));
  const open = new OpenMappings();
  const places = new Array<FileOffset | null>(asked.length).fill(null);
  let begun = 0;
  let ended = 0;
  const rows = [...asked.entries()].sort(([, a], [, b]) => a.address - b.address);
  for (const [row, { address, file }] of rows) {
    while (begun < begins.length && begins[begun].start <= address) open.add(begins[begun++], 1);
    while (ended < ends.length && endOf(ends[ended]) <= address) open.add(ends[ended++], -1);
    places[row] = open.offsetAt(address, file);
  }
  return places;
}

/** perf maps `[kernel.kallsyms]_text`, and prints `[kernel.kallsyms]`. */
function plainName(file: string): string {
  const name = bracketedName(file);
  return name === null ? file : `[${name}]`;
}

function endOf({ start, length }: Mapping): Address {
  return start + length;
}

/** Address of a file's first byte. What has no path begins with its mapping: the kernel's offsets are addresses. */
function fileStartOf({ file, start, fileOffset }: Mapping): Address {
  return bracketedName(file) === null ? start - fileOffset : start;
}

/** How many of the mappings that cover an address have their file begin at an address. */
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

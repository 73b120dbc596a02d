/**
 * The mappings of a process and a time → the one that an address lay in.
 */
import type { Mapping } from '../model/trace/trace-chunk.js';
import type { Address, Nanoseconds } from '../model/units.js';

/** The latest one that covers it: it took the place of those before. `mappings` are in order of time. */
export function mappingAt(mappings: readonly Mapping[], address: Address, timeNs: Nanoseconds): Mapping | null {
  for (let at = mappings.length - 1; at >= 0; at--) {
    const mapping = mappings[at];
    const { start, length } = mapping;
    if (mapping.timeNs <= timeNs && address >= start && address < start + length) return mapping;
  }
  return null;
}

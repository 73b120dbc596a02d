/**
 * Finds the mapping of an address at a time.
 */
import type { Mapping } from '../model/trace/trace-chunk.js';
import type { Address, Nanoseconds } from '../model/units.js';

/** Returns the latest mapping that covers the address: it replaced earlier ones. `mappings` are in order of time. */
export function mappingAt(mappings: readonly Mapping[], address: Address, timeNs: Nanoseconds): Mapping | null {
  for (let at = mappings.length - 1; at >= 0; at--) {
    const mapping = mappings[at];
    const { start, length } = mapping;
    if (mapping.timeNs <= timeNs && address >= start && address < start + length) return mapping;
  }
  return null;
}

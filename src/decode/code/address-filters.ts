/**
 * Filters of addresses: code that a recording traces, and code that stops the trace (`perf record --filter`).
 */
import type { Address } from '../../model/units.js';

/** Code of a file, by offsets; `end` is the one after the last byte. */
export interface FilteredRegion {
  /** "stop": the trace ends there. */
  readonly what: 'trace' | 'stop';
  readonly start: number;
  readonly end: number;
  /** As recorded; null: of the kernel, by address. */
  readonly file: string | null;
}

const NUMBER = '0x[0-9a-f]+|[1-9]\\d*|0';
const FILTER = new RegExp(`^(filter|tracestop|stop)\\s+(${NUMBER})\\s*/\\s*(${NUMBER})(?:\\s*@\\s*([^\\s,]+))?$`);
const BETWEEN = /\s*,\s*|\s+(?=(?:filter|tracestop|stop)\s)/;

/** Returns the regions of perf's text, whose symbols perf resolved as it recorded; null if it has other kinds of filters. */
export function parseFilters(text: string): FilteredRegion[] | null {
  const parts = text
    .trim()
    .split(BETWEEN)
    .map((part) => FILTER.exec(part));
  const regions = parts.flatMap((match) => (match === null ? [] : [regionOf(match)]));
  return regions.length === parts.length ? regions : null;
}

function regionOf([, action, from, size, file]: RegExpExecArray): FilteredRegion {
  const start = Number(from);
  return { what: action === 'filter' ? 'trace' : 'stop', start, end: start + Number(size), file: file ?? null };
}

/** Whether code of a file is traced. */
export function isTraced(regions: readonly FilteredRegion[], file: string, offset: Address): boolean {
  const covers = (region: FilteredRegion) => region.file === file && region.start <= offset && offset < region.end;
  if (regions.some((region) => region.what === 'stop' && covers(region))) return false;
  const traced = regions.filter(({ what }) => what === 'trace');
  return traced.length === 0 || traced.some(covers);
}

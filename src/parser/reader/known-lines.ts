/**
 * Remembers samples and records by their text after the time: most repeat, apart from the thread, the CPU and the time,
 * and the reference parser takes long to read one.
 */
import { lineFault } from '../lines/line-fault.js';
import { type Head, NOT_PRINTED } from '../lines/line-prefix.js';
import type { PerfLine } from '../lines/perf-line-types.js';
import { ARROW } from './simple-branch.js';

type Known = Extract<PerfLine, { type: 'sample' | 'sideband' }>;

/** Texts of probes with many values may never repeat. */
const MAX_KNOWN = 16 * 1024;
const MAX_LENGTH = 1024;

export class KnownLines {
  private readonly lines = new Map<string, Known>();

  /** Returns a line with a usual prefix and this text after it; null if the reference parser must read it. */
  find(text: string, { tid, pid, cpu, seconds }: Head, ns: number): PerfLine | null {
    const known = this.lines.get(text);
    if (known === undefined) return null;
    const ids = { tid, pid: pid === NOT_PRINTED ? null : pid, cpu: cpu === NOT_PRINTED ? null : cpu };
    const line: Known = { ...known, prefix: { comm: null, ...ids, time: { seconds, ns } } };
    return lineFault(line) === null ? line : null;
  }

  /** Adds what the reference parser read. The meaning of a text with an arrow may depend on what precedes it. */
  add(text: string, line: PerfLine): void {
    if ((line.type !== 'sample' && line.type !== 'sideband') || text.length > MAX_LENGTH || text.includes(ARROW))
      return;
    if (this.lines.size === MAX_KNOWN) this.lines.clear();
    this.lines.set(text, line);
  }
}

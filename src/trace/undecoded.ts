/**
 * What perf could not decode, according to records: threads and times without branches, files whose code it lacked.
 */

import type { TraceRecord } from '../model/trace/trace-chunk.js';
import { type Bounds, type Nanoseconds, NONE, type Tid } from '../model/units.js';
import type { GapRecord } from './records/gap-records.js';
import type { StoreContents } from './store-contents.js';

export type ErrorLocation = Pick<GapRecord, 'pid' | 'ip' | 'timeNs'>;

export class Undecoded {
  private readonly contents: StoreContents;
  private withoutCode: ReadonlySet<string | null> | null = null;

  constructor(contents: StoreContents) {
    this.contents = contents;
  }

  /** perf failed to decode some or all of the trace. False if CPUs are selected: what happened elsewhere is unknown. */
  get isIncomplete(): boolean {
    const { isTimed, hasErrors, hasBranches, selection } = this.contents;
    return isTimed && (hasErrors || !hasBranches) && selection.cpus === undefined;
  }

  /** Returns threads of traced processes that have switches or errors, but no branch. */
  unseenTids(): Tid[] {
    if (!this.isIncomplete) return [];
    const { threads, records, switches, selection } = this.contents;
    const pids = this.tracedPids();
    const isWanted = (tid: Tid) => tid > 0 && !threads.has(tid) && !(selection.tids && !selection.tids.includes(tid));
    const hasErrors = (tid: Tid) =>
      [...(records.get(tid)?.values() ?? [])].some((record) => isDecodeError(record) && record.pid > 0);
    const isTraced = (tid: Tid) => pids.has(this.contents.names.pidOf(tid));
    const unseen = [...[...records.keys()].filter(hasErrors), ...switches.tids.filter(isTraced)];
    return [...new Set(unseen)].filter(isWanted);
  }

  /** Returns the processes with a branch, with an error in their trace, or whose trace began (ITRACE_START). */
  private tracedPids(): ReadonlySet<number | null> {
    const pids = new Set([...this.contents.threads.keys()].map((tid) => this.contents.names.pidOf(tid)));
    for (const records of this.contents.records.values())
      for (const record of records.values())
        if ((isDecodeError(record) || record.what === 'traced') && record.pid > 0) pids.add(record.pid);
    pids.delete(null);
    return pids;
  }

  /** Returns the bounds of the recording, extended to records if branches could not be decoded. */
  boundsWith(tids: readonly Tid[]): Bounds {
    let { startNs, endNs } = this.contents.bounds;
    if (!this.isIncomplete) return { startNs, endNs };
    const extendTo = (timeNs: Nanoseconds) => {
      if (!Number.isFinite(timeNs)) return;
      startNs = Math.min(startNs, timeNs);
      endNs = Math.max(endNs, timeNs);
    };
    for (const tid of tids) {
      this.contents.switches.of(tid).timeNs.forEach(extendTo);
      for (const { what, timeNs } of this.contents.records.get(tid)?.values() ?? [])
        if (what === 'gap') extendTo(timeNs);
    }
    return { startNs, endNs };
  }

  /** Files whose code perf lacked or found to differ; null stands for such code in an unknown file. */
  get filesWithoutCode(): ReadonlySet<string | null> {
    this.withoutCode ??= new Set(
      [...this.contents.records.values()]
        .flatMap((records) => [...records.values()])
        .filter((record) => record.what === 'gap' && CODE_ERRORS.includes(record.code))
        .filter((record) => !this.contents.isExplained(record as GapRecord))
        .map((record) => this.fileOf(record.tid, record as GapRecord)),
    );
    return this.withoutCode;
  }

  /** Returns the file mapped at an address of a thread; null if unknown. */
  fileOf(tid: Tid, { pid, ip, timeNs }: ErrorLocation): string | null {
    const { mappings, names } = this.contents;
    return mappings.fileAt(pid === NONE ? (names.pidOf(tid) ?? NONE) : pid, ip, timeNs);
  }

  /** Likewise, but only if perf lacked code of that file somewhere; otherwise being there last explains nothing. */
  fileWithoutCode(tid: Tid, at: ErrorLocation): string | null {
    const file = this.isIncomplete ? this.fileOf(tid, at) : null;
    return file !== null && this.filesWithoutCode.has(file) ? file : null;
  }

  /** perf lacked some code: time that it skipped without an error is lost for that reason. */
  get lacksCode(): boolean {
    return this.isIncomplete && this.filesWithoutCode.size > 0;
  }
}

/** perf's errors for an overflow packet and for lost trace data: nothing was recorded that could be decoded. */
const NOT_RECORDED_CODES: readonly number[] = [7, 8];

export function isDecodeError(record: TraceRecord): record is GapRecord {
  return record.what === 'gap' && !NOT_RECORDED_CODES.includes(record.code);
}

/** perf's errors for missing code, and for code that does not match the trace. */
const CODE_ERRORS: readonly number[] = [5, 6];

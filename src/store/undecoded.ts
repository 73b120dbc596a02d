/**
 * What perf could not decode, as far as records tell: threads without a branch, times that no branch shows, files whose code it lacked.
 */
import type { TraceRecord } from '../model/trace/trace-chunk.js';
import { NONE, type Tid } from '../model/units.js';
import type { GapRecord } from './records/gap-records.js';
import type { StoreContents, TimeBounds } from './store-contents.js';

/** Where and when something is told of. */
export type ErrorLocation = Pick<GapRecord, 'pid' | 'ip' | 'timeNs'>;

export class Undecoded {
  private readonly contents: StoreContents;
  private withoutCode: ReadonlySet<string | null> | null = null;

  constructor(contents: StoreContents) {
    this.contents = contents;
  }

  /** perf failed to decode some of the trace, or all of it. Of the processors that are wanted alone it is not known what a thread did elsewhere. */
  get isPossible(): boolean {
    const { isTimed, hasErrors, hasBranches, selection } = this.contents;
    return isTimed && (hasErrors || !hasBranches) && selection.cpus === undefined;
  }

  /** Threads that ran, and of which no branch could be decoded: of processes that are traced, with switches or errors. */
  unseenTids(): Tid[] {
    if (!this.isPossible) return [];
    const { threads, records, selection } = this.contents;
    const pids = this.tracedPids();
    const isUnseen = (tid: Tid, records: readonly TraceRecord[]) =>
      tid > 0 &&
      !threads.has(tid) &&
      !(selection.tids && !selection.tids.includes(tid)) &&
      records.some((record) =>
        record.what === 'gap'
          ? isDecodeError(record) && record.pid > 0
          : record.what === 'switch' && pids.has(this.contents.names.pidOf(tid)),
      );
    return [...records].flatMap(([tid, records]) => (isUnseen(tid, [...records.values()]) ? [tid] : []));
  }

  /** Processes whose branches were decoded, or whose trace began, or was met with an error. */
  private tracedPids(): ReadonlySet<number | null> {
    const pids = new Set([...this.contents.threads.keys()].map((tid) => this.contents.names.pidOf(tid)));
    for (const records of this.contents.records.values())
      for (const record of records.values())
        if ((isDecodeError(record) || record.what === 'traced') && record.pid > 0) pids.add(record.pid);
    pids.delete(null);
    return pids;
  }

  /** The recording lasts as long as its records say, where branches do not show it: where they could not be decoded. */
  boundsWith(tids: readonly Tid[]): TimeBounds {
    let { startNs, endNs } = this.contents.bounds;
    if (!this.isPossible) return { startNs, endNs };
    for (const tid of tids)
      for (const { what, timeNs } of this.contents.records.get(tid)?.values() ?? []) {
        if ((what !== 'switch' && what !== 'gap') || !Number.isFinite(timeNs)) continue;
        startNs = Math.min(startNs, timeNs);
        endNs = Math.max(endNs, timeNs);
      }
    return { startNs, endNs };
  }

  /** Files whose code perf lacked, or found to be another one; null: such code that lies in no known file. */
  get filesWithoutCode(): ReadonlySet<string | null> {
    this.withoutCode ??= new Set(
      [...this.contents.records.values()]
        .flatMap((records) => [...records.values()])
        .filter((record) => record.what === 'gap' && IS_ABOUT_CODE.includes(record.code))
        .map((record) => this.fileOf(record.tid, record as GapRecord)),
    );
    return this.withoutCode;
  }

  /** The file that an address of a thread lies in; null if the trace does not tell. */
  fileOf(tid: Tid, { pid, ip, timeNs }: ErrorLocation): string | null {
    const { mappings, names } = this.contents;
    return mappings.fileAt(pid === NONE ? (names.pidOf(tid) ?? NONE) : pid, ip, timeNs);
  }

  /** The same, if perf lacked the code of that file somewhere; null if not: that the thread was there last says little then. */
  fileWithoutCode(tid: Tid, at: ErrorLocation): string | null {
    const file = this.isPossible ? this.fileOf(tid, at) : null;
    return file !== null && this.filesWithoutCode.has(file) ? file : null;
  }

  /** perf lacked some code: what it passed over without a word is lost for that reason. */
  get lacksCode(): boolean {
    return this.isPossible && this.filesWithoutCode.size > 0;
  }
}

/** perf's overflow packet and lost trace data: there is nothing that could be decoded. */
const WAS_NOT_RECORDED: readonly number[] = [7, 8];

export function isDecodeError(record: TraceRecord): record is GapRecord {
  return record.what === 'gap' && !WAS_NOT_RECORDED.includes(record.code);
}

/** perf's errors of code that is missing, or that is not what the trace says. */
const IS_ABOUT_CODE: readonly number[] = [5, 6];

/**
 * Converts lines that are not branches into records, thread names and mappings.
 */
import type { PerfTime } from '../../model/trace/perf-time.js';
import type { Mapping, ThreadName, TraceRecord } from '../../model/trace/trace-chunk.js';
import { type Nanoseconds, NONE } from '../../model/units.js';
import type { PerfLine } from '../lines/perf-line-types.js';
import { fromLatin1 } from '../sites/intern.js';

export type ErrorLine = Extract<PerfLine, { type: 'error' }>;
export type SidebandLine = Extract<PerfLine, { type: 'sideband' }>;
type RecordOf<What> = Extract<SidebandLine['record'], { what: What }>;

const MAX_MESSAGE_LENGTH = 200;

interface CpuAndTime {
  readonly cpu: number;
  readonly timeNs: Nanoseconds;
}

/** Receives what lines contain; the `comm` of a name is bytes as latin1 characters. */
export interface RecordSink {
  addRecord(record: TraceRecord): void;
  addName(name: ThreadName): void;
  addMapping(mapping: Mapping): void;
}

export function addError({ tid, pid, cpu, code, ip, message }: ErrorLine, timeNs: Nanoseconds, to: RecordSink): void {
  const text = fromLatin1(message.slice(0, MAX_MESSAGE_LENGTH));
  to.addRecord({ what: 'gap', tid, cpu, timeNs, code, message: text, ip, pid });
}

/** perf prints what existed before the recording at time 0, whatever its clock. */
export function isBeforeRecording(time: PerfTime | null): boolean {
  return time !== null && time.seconds === 0 && time.ns === 0;
}

/**
 * `timeNs` is the time of the line or, if it has none, of the branch before it. Records from before the recording get
 * −Infinity, so that they precede everything in it: perf names a thread `perf-exec` until it becomes the recorded
 * program.
 */
export function addSideband({ prefix, record }: SidebandLine, timeNs: Nanoseconds, to: RecordSink): void {
  const existedBefore = isBeforeRecording(prefix.time);
  const at = { cpu: prefix.cpu ?? NONE, timeNs: existedBefore ? Number.NEGATIVE_INFINITY : timeNs };
  switch (record.what) {
    case 'switch':
      return to.addRecord({ what: 'switch', direction: record.direction, tid: prefix.tid, ...at });
    case 'comm':
      return addComm(record, at, existedBefore, to);
    case 'fork':
      return addFork(record, at, existedBefore, to);
    case 'exit':
      return to.addRecord({ what: 'exit', tid: record.tid, pid: record.pid, ...at });
    case 'traced':
      return addTraced(record, at, to);
    case 'mmap':
      return addMapping(record, at.timeNs, to);
    case 'other':
  }
}

function addComm(
  { exec, name, tid, pid }: RecordOf<'comm'>,
  at: CpuAndTime,
  existedBefore: boolean,
  to: RecordSink,
): void {
  to.addName({ tid, pid, comm: name, parent: null, timeNs: at.timeNs });
  if (exec && !existedBefore) to.addRecord({ what: 'exec', tid, pid, ...at });
}

/** Forks from before the recording only name their threads, which did not begin at that time. */
function addFork(
  { tid, pid, parentPid, parent }: RecordOf<'fork'>,
  at: CpuAndTime,
  existedBefore: boolean,
  to: RecordSink,
): void {
  if (!existedBefore) to.addRecord({ what: 'fork', tid, pid, parentPid, ...at });
  to.addName({ tid, pid, comm: null, parent, timeNs: at.timeNs });
  to.addName({ tid: parent, pid: parentPid, comm: null, parent: null, timeNs: at.timeNs });
}

function addTraced({ tid, pid }: RecordOf<'traced'>, at: CpuAndTime, to: RecordSink): void {
  to.addRecord({ what: 'traced', tid, pid, ...at });
  to.addName({ tid, pid, comm: null, parent: null, timeNs: at.timeNs });
}

function addMapping({ what, file, ...mapping }: RecordOf<'mmap'>, timeNs: Nanoseconds, to: RecordSink): void {
  to.addMapping({ ...mapping, file: fromLatin1(file), timeNs });
}

/**
 * Collects the threads that a recording's records mention.
 */
import type { RecordedEvent, Recording } from '../../src/perfdata/recording.js';
import type { RecordingInfo } from './recording-info.js';

type Thread = RecordingInfo['threads'][number];

/** Ordered by most switches, then by tid. Without the idle threads of the CPUs, which all have tid 0. */
export function recordedThreads({ sideband, auxRecords, buffers }: Recording): Thread[] {
  const threads = new Map<number, Thread>();
  const threadOf = (tid: number): Thread => {
    const thread = threads.get(tid) ?? { tid, pid: null, name: null, switches: 0 };
    threads.set(tid, thread);
    return thread;
  };
  for (const { tid } of [...auxRecords, ...buffers]) threadOf(tid);
  for (const event of sideband) addEvent(event, threadOf);
  return [...threads.values()].filter(({ tid }) => tid > 0).sort((a, b) => b.switches - a.switches || a.tid - b.tid);
}

function addEvent({ tid, pid, record }: RecordedEvent, threadOf: (tid: number) => Thread): void {
  const running = threadOf(tid);
  if (pid > 0) running.pid = pid;
  if (record.what === 'switch' && record.direction === 'in') running.switches++;
  else if (record.what === 'comm') {
    const thread = threadOf(record.tid);
    thread.pid = idOrNull(record.pid);
    thread.name = Buffer.from(record.name, 'latin1').toString();
  } else if (record.what === 'fork') {
    const thread = threadOf(record.tid);
    thread.pid = idOrNull(record.pid);
    thread.name = threadOf(record.parent).name; // until a record names the thread itself
  }
}

function idOrNull(pid: number): number | null {
  return pid < 0 ? null : pid;
}

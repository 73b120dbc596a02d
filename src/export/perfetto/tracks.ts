/**
 * Writes the tracks of a trace: processes, the threads below them, and counters.
 */
import type { PbfWriter } from 'pbf';
import type { ThreadProfile } from '../../model/profile/profile.js';
import type { Tid } from '../../model/units.js';
import { visibleText } from '../../render/visible-text.js';
import { writeTextField } from '../proto-writer.js';
import { COUNTER, PROCESS, THREAD, TRACK } from './packets.js';

export type NamedThread = Pick<ThreadProfile, 'tid' | 'pid' | 'comm'>;

export interface Process {
  /** Of its track. */
  readonly id: number;
  readonly pid: number;
  /** The name of its main thread, as far as is known. */
  readonly name: string | null;
}

/** Numbers tracks from 1, processes first. */
export class Tracks {
  readonly processes: readonly Process[];
  private readonly processOf: ReadonlyMap<number, Process>;
  private readonly rowOf: ReadonlyMap<Tid, number>;
  private readonly threads: number;

  constructor(threads: readonly NamedThread[]) {
    const pids = [...new Set(threads.flatMap(({ pid }) => pid ?? []))].sort((a, b) => a - b);
    const commOf = new Map(threads.map(({ tid, comm }) => [tid, comm]));
    this.processes = pids.map((pid, at) => ({ id: 1 + at, pid, name: commOf.get(pid) ?? null }));
    this.processOf = new Map(this.processes.map((process) => [process.pid, process]));
    this.rowOf = new Map(threads.map(({ tid }, row) => [tid, row]));
    this.threads = threads.length;
  }

  /** Returns the track of a thread of the profile. */
  ofThread(tid: Tid): number {
    return 1 + this.processes.length + (this.rowOf.get(tid) as number);
  }

  ofCounter(counter: number): number {
    return 1 + this.processes.length + this.threads + counter;
  }

  parentOf({ pid }: NamedThread): Process | null {
    return (pid !== null && this.processOf.get(pid)) || null;
  }
}

export function writeProcessTrack({ id, pid, name }: Process, writer: PbfWriter): void {
  writer.writeVarintField(TRACK.id, id);
  writer.writeMessage(
    TRACK.process,
    (_, to) => {
      to.writeVarintField(PROCESS.pid, pid);
      if (name !== null) writeTextField(PROCESS.name, visibleText(name), to);
    },
    null,
  );
}

export interface ThreadTrack {
  readonly id: number;
  readonly thread: NamedThread;
  readonly process: Process | null;
}

/** A thread of an unknown process is a track with its name only: Perfetto's threads belong to processes. */
export function writeThreadTrack({ id, thread, process }: ThreadTrack, writer: PbfWriter): void {
  const { tid, comm } = thread;
  writer.writeVarintField(TRACK.id, id);
  if (process === null) return writeTextField(TRACK.name, threadName(thread), writer);
  writer.writeVarintField(TRACK.parent, process.id);
  writer.writeMessage(
    TRACK.thread,
    (_, to) => {
      to.writeVarintField(THREAD.pid, process.pid);
      to.writeVarintField(THREAD.tid, tid);
      if (comm !== null) writeTextField(THREAD.name, visibleText(comm), to);
    },
    null,
  );
}

export interface NamedTrack {
  readonly id: number;
  readonly name: string;
  /** The track below which it is shown; null: none. */
  readonly parent: number | null;
}

export function writeNamedTrack({ id, name, parent }: NamedTrack, writer: PbfWriter): void {
  writer.writeVarintField(TRACK.id, id);
  writeTextField(TRACK.name, visibleText(name), writer);
  if (parent !== null) writer.writeVarintField(TRACK.parent, parent);
}

/** Returns "worker 1234" or "thread 1234", as Perfetto itself titles threads; other formats have `worker/1234`. */
export function threadName({ tid, comm }: Pick<NamedThread, 'tid' | 'comm'>): string {
  return `${comm === null ? 'thread' : visibleText(comm)} ${tid}`;
}

export interface CounterTrack {
  readonly id: number;
  readonly name: string;
  readonly unit: string;
}

export function writeCounterTrack({ id, name, unit }: CounterTrack, writer: PbfWriter): void {
  writer.writeVarintField(TRACK.id, id);
  writeTextField(TRACK.name, name, writer);
  writer.writeMessage(TRACK.counter, (_, to) => writeTextField(COUNTER.unitName, unit, to), null);
}

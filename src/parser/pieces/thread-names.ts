/**
 * Adds names and processes of threads to chunks, each once until it changes: most lines repeat them.
 */
import type { ThreadName } from '../../model/trace/trace-chunk.js';
import { type Nanoseconds, NONE, type Tid } from '../../model/units.js';
import { copied, fromLatin1 } from '../sites/intern.js';
import type { ChunkBuilder } from './chunk-builder.js';

export class ThreadNames {
  private readonly names = new Map<Tid, string>();
  private readonly chunk: ChunkBuilder;
  /** The last thread whose pid was added. */
  private pidTid: Tid = NONE;
  private pid = NONE;

  constructor(chunk: ChunkBuilder) {
    this.chunk = chunk;
  }

  /** For lines that print only these two. */
  addPid(tid: Tid, pid: number, timeNs: Nanoseconds): void {
    if (tid === this.pidTid && pid === this.pid) return;
    this.add({ tid, pid, comm: null, parent: null, timeNs });
    this.pidTid = tid;
    this.pid = pid;
  }

  /** The `comm` of the name is bytes as latin1 characters. */
  add(name: ThreadName): void {
    const text = `${name.pid}/${name.comm}`;
    if (this.names.get(name.tid) === text) return;
    this.names.set(name.tid, copied(text));
    if (name.tid === this.pidTid) this.pidTid = NONE; // a branch that prints its pid adds it again
    this.chunk.addName({ ...name, comm: name.comm === null ? null : fromLatin1(name.comm) });
  }
}

/**
 * What the threads of a pool do. Between two tasks they keep nothing that a result depends on.
 */
import { threadId } from 'node:worker_threads';
import { LineReader, type NewBranches } from '../parser/line-reader.js';
import { type PlainPiece, plainPiece } from '../parser/plain-piece.js';
import type { ThreadSource } from '../store/thread-source.js';
import { type ReplayedThread, type ReplayedTrace, TraceReplayer } from './replay-task.js';

export interface ReadTask {
  /** Whole lines, in shared memory. */
  readonly bytes: Uint8Array;
  /** Shared memory, too: here the events are left. */
  readonly events: Int32Array;
  readonly originSeconds: number;
}

export interface ReadResult {
  /** Who read it: what branches are called depends on that. */
  readonly reader: number;
  readonly newBranches: NewBranches;
  /** Its events are where they were to be left. null: it has to be read where it is known what stands before it. */
  readonly piece: PlainPiece | null;
}

export interface ReplayTask {
  /** The same for all threads: its columns are in shared memory. */
  readonly trace: ReplayedTrace;
  /** Another one if something else than the events differs. */
  readonly version: number;
  readonly source: ThreadSource;
}

const reader = new LineReader();
let replayer: TraceReplayer | null = null;
let version = -1;
const ELSEWHERE = new Int32Array();

/** Tells that a thread is there. */
export function wake(_: null): void {}

export function readPiece({ bytes, events, originSeconds }: ReadTask): ReadResult {
  const piece = plainPiece(reader, reader.read(bytes), bytes, originSeconds);
  const result = { reader: threadId, newBranches: reader.takeNewBranches() };
  if (piece?.branches == null) return { ...result, piece };
  if (piece.branches.events.length > events.length) return { ...result, piece: null };
  events.set(piece.branches.events);
  return { ...result, piece: { ...piece, branches: { ...piece.branches, events: ELSEWHERE } } };
}

export function replayThread(task: ReplayTask): ReplayedThread {
  if (replayer === null || version !== task.version) replayer = new TraceReplayer(task.trace);
  version = task.version;
  return replayer.replay(task.source);
}

/**
 * What the threads of a pool do. Between two tasks they keep nothing that a result depends on.
 */
import { readSync } from 'node:fs';
import { isMainThread, threadId, workerData } from 'node:worker_threads';
import type { CountMemory } from '../../model/durations.js';
import { watchMemory } from '../../model/memory-watch.js';
import { type Knowledge, LineReader } from '../../parser/line-reader.js';
import { LONGEST_LINE_BYTES } from '../../parser/lines.js';
import type { NewBranches } from '../../parser/new-branches.js';
import { type PlainPiece, plainPiece } from '../../parser/plain-piece.js';
import type { ReadLines } from '../../parser/read-lines.js';
import type { ThreadSource } from '../../store/thread-source.js';
import { type ReplayedThread, type ReplayedTrace, TraceReplayer } from '../replay/replay-thread.js';
import { MemoryBudget } from './memory-budget.js';
import type { BudgetOfWorkers } from './worker-pool.js';

/** Shared memory for events, and what times are counted from. */
interface ReadFor {
  /** Here the events are left. */
  readonly events: Int32Array;
  readonly originSeconds: number;
  /** What is known already to whoever has not read anything yet; the same for all. */
  readonly knowledge: Knowledge;
}

export interface ReadLinesTask extends ReadFor {
  /** Whole lines, in shared memory. */
  readonly bytes: Uint8Array;
}

export interface ReadPartTask extends ReadFor {
  /** An open file of trace text. */
  readonly fd: number;
  /** All lines are to be read that begin behind `start` and at or before `end`, counted in bytes. */
  readonly start: number;
  readonly end: number;
}

export interface ReadResult {
  /** Who read it: what branches are called depends on that. */
  readonly reader: number;
  readonly newBranches: NewBranches;
  /** Its events are where they were to be left. null: it has to be read where it is known what stands before it. */
  readonly piece: PlainPiece | null;
}

export interface ReadPartResult extends ReadResult {
  /** Where the lines begin and end in the file; NaN if the part has no end that could be found. */
  readonly from: number;
  readonly to: number;
}

export interface ReplayTask {
  /** The same for all threads: its columns are in shared memory. */
  readonly trace: ReplayedTrace;
  readonly source: ThreadSource;
  /** To put its events in order. */
  readonly buffer: SharedArrayBuffer;
  /** To count in how long calls took; null if nobody asks, or if the thread tells it itself. */
  readonly counts: CountMemory | null;
}

const budget: BudgetOfWorkers | null = workerData;
if (!isMainThread && budget?.mostBytes) {
  const { memoryBytes, mostBytes } = budget;
  const own = new MemoryBudget(memoryBytes, undefined, mostBytes);
  watchMemory((bytes) => own.check(bytes));
}

const NEWLINE = 10;
let reader: LineReader | null = null;
const ELSEWHERE = new Int32Array();
let replayer: TraceReplayer | null = null;
let isTaught = false;

/** Tells that a thread is there. */
export function wake(_: null): void {}

export function readLines({ bytes, ...task }: ReadLinesTask): ReadResult {
  reader ??= new LineReader(task.knowledge);
  return resultOf(reader, reader.read(bytes), task);
}

export function readPart({ fd, start, end, ...task }: ReadPartTask): ReadPartResult {
  reader ??= new LineReader(task.knowledge);
  const room = reader.room(end + LONGEST_LINE_BYTES - start);
  const text = room.subarray(0, readFully(fd, room, start));
  const from = text.indexOf(NEWLINE) + 1;
  const to = text.indexOf(NEWLINE, end - start) + 1;
  if (from === 0 || to === 0)
    return { ...resultOf(reader, reader.readRoom(0, 0), task), piece: null, from: Number.NaN, to: Number.NaN };
  return { ...resultOf(reader, reader.readRoom(from, to), task), from: start + from, to: start + to };
}

/** How many bytes there were. */
function readFully(fd: number, room: Uint8Array, position: number): number {
  let length = 0;
  while (length < room.length) {
    const count = readSync(fd, room, length, room.length - length, position + length);
    if (count === 0) break;
    length += count;
  }
  return length;
}

function resultOf(reader: LineReader, lines: ReadLines, { events, originSeconds }: ReadFor): ReadResult {
  const piece = plainPiece(reader, lines, originSeconds);
  const result = { reader: threadId, newBranches: reader.takeNewBranches() };
  if (piece?.branches == null) return { ...result, piece };
  if (piece.branches.events.length > events.length) return { ...result, piece: null };
  events.set(piece.branches.events);
  return { ...result, piece: { ...piece, branches: { ...piece.branches, events: ELSEWHERE } } };
}

export function replayThread(task: ReplayTask): ReplayedThread {
  const hasLessons = task.trace.lessons !== null; // nothing else of a trace changes
  if (replayer === null || isTaught !== hasLessons) replayer = new TraceReplayer(task.trace);
  isTaught = hasLessons;
  return replayer.replay(task.source, task.buffer, task.counts);
}

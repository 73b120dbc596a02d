/**
 * Sends pieces of a trace to workers.
 */

import type { StandalonePiece } from '../../parser/pieces/standalone-piece.js';
import type { TraceContext } from '../../parser/trace-context.js';
import type { DecodeResult, DecodeTask } from '../decode/decode-task.js';
import type { WorkerPool } from '../workers/worker-pool.js';
import type { ReadLinesTask, ReadPartTask, ReadResult } from './read-piece.js';

export const PIECE_BYTES = 2 * 1024 * 1024;
/** An event takes eight bytes; a line with a branch has hardly less than 32. */
const EVENTS_OF_PIECE = PIECE_BYTES / 32;

/** The result of a worker that read a piece. */
export interface ReadPiece {
  /** null: its meaning depends on earlier lines, so read it in order. */
  readonly piece: StandalonePiece | null;
  /** Where its lines begin and end; NaN if no line end was found. */
  readonly from: number;
  readonly to: number;
}

/** Allocates shared memory for the events of a piece. */
export function sharedEvents(): Int32Array {
  return new Int32Array(new SharedArrayBuffer(8 * EVENTS_OF_PIECE));
}

export class PieceReaders {
  private readonly pool: WorkerPool;
  private readonly context: TraceContext;

  constructor(pool: WorkerPool, context: TraceContext) {
    this.pool = pool;
    this.context = context;
  }

  get size(): number {
    return this.pool.size;
  }

  /** There is memory for workers. */
  get canWork(): boolean {
    return this.pool.canWork;
  }

  /** Starts the workers, as many as have a task, without waiting for them. */
  wake(tasks = this.size): void {
    this.pool.wake(tasks);
  }

  get isAwake(): boolean {
    return this.pool.isAwake;
  }

  async readLines(task: Omit<ReadLinesTask, 'memory'>): Promise<ReadPiece> {
    const { memory } = this.context.reader;
    return received(await this.pool.run('readLines', { ...task, memory }), task.events);
  }

  async readPart(task: Omit<ReadPartTask, 'memory'>): Promise<ReadPiece> {
    const { memory } = this.context.reader;
    return received(await this.pool.run('readPart', { ...task, memory }), task.events);
  }

  async decodePart(task: DecodeTask): Promise<DecodeResult> {
    return this.pool.run('decodePart', task);
  }
}

function received({ piece, from, to }: ReadResult, events: Int32Array): ReadPiece {
  return { piece: piece && withEvents(piece, events), from, to };
}

/** Adds the events that the worker left in shared memory. */
function withEvents(piece: StandalonePiece, events: Int32Array): StandalonePiece {
  if (piece.branches === null) return piece;
  const length = piece.branches.runs.reduce((sum, run) => sum + run.length, 0);
  return { ...piece, branches: { ...piece.branches, events: events.subarray(0, length) } };
}

/**
 * Sends pieces of a trace to workers, and keeps the sites by which each worker numbers its branches.
 */

import type { StandalonePiece } from '../../parser/pieces/standalone-piece.js';
import type { ReaderSnapshot } from '../../parser/reader/line-reader.js';
import type { ReaderSites } from '../../parser/sites/reader-sites.js';
import type { TraceContext } from '../../parser/sites/trace-context.js';
import type { DecodeResult, DecodeTask } from '../decode/decode-task.js';
import { inSharedMemory } from '../workers/shared-data.js';
import type { WorkerPool } from '../workers/worker-pool.js';
import type { ReadLinesTask, ReadPartTask, ReadResult } from './read-piece.js';

export const PIECE_BYTES = 2 * 1024 * 1024;
/** An event takes eight bytes; a line with a branch has hardly less than 32. */
const EVENTS_OF_PIECE = PIECE_BYTES / 32;

/** The result of a worker that read a piece. */
export interface ReadPiece {
  /** Its contents, and the sites of its branches; null: its meaning depends on earlier lines, so read it in order. */
  readonly standalone: { readonly piece: StandalonePiece; readonly sites: ReaderSites } | null;
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
  /** The state in which every reader begins, and its numbering of sites. */
  private start: { readonly snapshot: ReaderSnapshot; readonly sites: ReaderSites } | null = null;
  private readonly sitesOf = new Map<number, ReaderSites>();

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

  /** Starts the workers, without waiting for them. */
  wake(): void {
    this.pool.wake();
  }

  get isAwake(): boolean {
    return this.pool.isAwake;
  }

  async readLines(task: Omit<ReadLinesTask, 'snapshot'>): Promise<ReadPiece> {
    const { snapshot } = this.startState();
    return this.received(await this.pool.run('readLines', { ...task, snapshot }), task.events);
  }

  async readPart(task: Omit<ReadPartTask, 'snapshot'>): Promise<ReadPiece> {
    const { snapshot } = this.startState();
    return this.received(await this.pool.run('readPart', { ...task, snapshot }), task.events);
  }

  async decodePart(task: DecodeTask): Promise<DecodeResult> {
    return this.pool.run('decodePart', task);
  }

  private startState(): { readonly snapshot: ReaderSnapshot; readonly sites: ReaderSites } {
    const { reader, readerSites } = this.context;
    this.start ??= { snapshot: inSharedMemory(reader.snapshot()), sites: readerSites.copy() };
    return this.start;
  }

  private received({ reader, newBranches, piece, from, to }: ReadResult, events: Int32Array): ReadPiece {
    let sites = this.sitesOf.get(reader);
    if (sites === undefined) this.sitesOf.set(reader, (sites = this.startState().sites.copy()));
    sites.addBranches(newBranches);
    return { standalone: piece && { piece: withEvents(piece, events), sites }, from, to };
  }
}

/** Adds the events that the worker left in shared memory. */
function withEvents(piece: StandalonePiece, events: Int32Array): StandalonePiece {
  if (piece.branches === null) return piece;
  const length = piece.branches.runs.reduce((sum, run) => sum + run.length, 0);
  return { ...piece, branches: { ...piece.branches, events: events.subarray(0, length) } };
}

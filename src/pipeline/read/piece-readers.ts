/**
 * Threads that read pieces of a trace, and what each of them calls the branches that it saw.
 */

import type { StandalonePiece } from '../../parser/pieces/standalone-piece.js';
import type { ReaderSnapshot } from '../../parser/reader/line-reader.js';
import type { ReaderSites } from '../../parser/sites/reader-sites.js';
import type { TraceContext } from '../../parser/sites/trace-context.js';
import { inSharedMemory } from '../workers/shared-data.js';
import type { WorkerPool } from '../workers/worker-pool.js';
import type { ReadLinesTask, ReadPartTask, ReadResult } from './read-piece.js';

export const PIECE_BYTES = 2 * 1024 * 1024;
/** An event takes eight bytes, and a line that tells of one hardly less than 32. */
const EVENTS_OF_PIECE = PIECE_BYTES / 32;

/** What another thread made of a piece. */
export interface ReadPiece {
  /** What it says, and the sites of its branches; null: it has to be read where it is known what stands before it. */
  readonly standalone: { readonly piece: StandalonePiece; readonly sites: ReaderSites } | null;
  /** Where its lines begin and end; NaN if it has no end that could be found. */
  readonly from: number;
  readonly to: number;
}

/** Shared memory for the events of a piece. */
export function sharedEvents(): Int32Array {
  return new Int32Array(new SharedArrayBuffer(8 * EVENTS_OF_PIECE));
}

export class PieceReaders {
  private readonly pool: WorkerPool;
  private readonly context: TraceContext;
  /** What all readers begin with, and what they call it. */
  private start: { readonly snapshot: ReaderSnapshot; readonly sites: ReaderSites } | null = null;
  private readonly sitesOf = new Map<number, ReaderSites>();

  constructor(pool: WorkerPool, context: TraceContext) {
    this.pool = pool;
    this.context = context;
  }

  /** How many threads there are. */
  get size(): number {
    return this.pool.size;
  }

  /** Calls them, and goes on at once. */
  wake(): void {
    this.pool.wake();
  }

  get isAwake(): boolean {
    return this.pool.isAwake;
  }

  /** Reads whole lines. */
  async readLines(task: Omit<ReadLinesTask, 'snapshot'>): Promise<ReadPiece> {
    const { snapshot } = this.startState();
    return this.received(await this.pool.run('readLines', { ...task, snapshot }), task.events);
  }

  /** Reads lines of a file. */
  async readPart(task: Omit<ReadPartTask, 'snapshot'>): Promise<ReadPiece> {
    const { snapshot } = this.startState();
    return this.received(await this.pool.run('readPart', { ...task, snapshot }), task.events);
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

/** The events that another thread left there. */
function withEvents(piece: StandalonePiece, events: Int32Array): StandalonePiece {
  if (piece.branches === null) return piece;
  const length = piece.branches.runs.reduce((sum, run) => sum + run.length, 0);
  return { ...piece, branches: { ...piece.branches, events: events.subarray(0, length) } };
}

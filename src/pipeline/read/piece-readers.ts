/**
 * Threads that read pieces of a trace, and what each of them calls the branches that it saw.
 */
import type { Knowledge } from '../../parser/line-reader.js';
import type { PlainPiece } from '../../parser/plain-piece.js';
import type { SitesOfReader } from '../../parser/sites-of-reader.js';
import type { TraceVocabulary } from '../../parser/trace-vocabulary.js';
import { inSharedMemory } from '../workers/shared-data.js';
import type { ReadLinesTask, ReadPartResult, ReadPartTask, ReadResult } from '../workers/trace-worker.js';
import type { WorkerPool } from '../workers/worker-pool.js';

export const PIECE_BYTES = 2 * 1024 * 1024;
/** An event takes eight bytes, and a line that tells of one hardly less than 32. */
const EVENTS_OF_PIECE = PIECE_BYTES / 32;

/** While all threads are busy some pieces wait for them, and some to be taken. */
export const WAITING_PIECES = 2;
/** After so many pieces that others could not read by themselves, they are not asked any more. */
export const MOST_REFUSED = 8;

/** A piece that another thread has read. */
export interface ReadPiece {
  readonly piece: PlainPiece;
  /** Of the branches that it tells of. */
  readonly sites: SitesOfReader;
}

/** A piece of a file: where its lines begin and end; null as for all pieces, NaN if it has no end that could be found. */
export interface ReadPart {
  readonly read: ReadPiece | null;
  readonly from: number;
  readonly to: number;
}

/** Shared memory for the events of a piece. */
export function sharedEvents(): Int32Array {
  return new Int32Array(new SharedArrayBuffer(8 * EVENTS_OF_PIECE));
}

export class PieceReaders {
  private readonly pool: WorkerPool;
  private readonly words: TraceVocabulary;
  /** What all readers begin with, and what they call it. */
  private begin: { readonly knowledge: Knowledge; readonly sites: SitesOfReader } | null = null;
  private readonly sitesOf = new Map<number, SitesOfReader>();

  constructor(pool: WorkerPool, words: TraceVocabulary) {
    this.pool = pool;
    this.words = words;
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

  /** Reads whole lines; null if they have to be read where it is known what stands before them. */
  async readLines(task: Omit<ReadLinesTask, 'knowledge'>): Promise<ReadPiece | null> {
    const { knowledge } = this.beginning();
    return this.heard(await this.pool.run('readLines', { ...task, knowledge }), task.events);
  }

  async readPart(task: Omit<ReadPartTask, 'knowledge'>): Promise<ReadPart> {
    const { knowledge } = this.beginning();
    const result: ReadPartResult = await this.pool.run('readPart', { ...task, knowledge });
    return { read: this.heard(result, task.events), from: result.from, to: result.to };
  }

  private beginning(): { readonly knowledge: Knowledge; readonly sites: SitesOfReader } {
    const { reader, sitesOfReader } = this.words;
    this.begin ??= { knowledge: inSharedMemory(reader.knowledge()), sites: sitesOfReader.copy() };
    return this.begin;
  }

  private heard({ reader, newBranches, piece }: ReadResult, events: Int32Array): ReadPiece | null {
    let sites = this.sitesOf.get(reader);
    if (sites === undefined) this.sitesOf.set(reader, (sites = this.beginning().sites.copy()));
    sites.hear(newBranches);
    if (piece?.branches == null) return piece && { piece, sites };
    const length = piece.branches.runs.reduce((sum, run) => sum + run.length, 0);
    return { piece: { ...piece, branches: { ...piece.branches, events: events.subarray(0, length) } }, sites };
  }
}

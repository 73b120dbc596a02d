/**
 * Threads that read pieces of a trace, and what each of them calls the branches that it saw.
 */

import type { PlainPiece } from '../../parser/pieces/plain-piece.js';
import type { Knowledge } from '../../parser/reader/line-reader.js';
import type { SitesOfReader } from '../../parser/sites/sites-of-reader.js';
import type { TraceVocabulary } from '../../parser/sites/trace-vocabulary.js';
import { inSharedMemory } from '../workers/shared-data.js';
import type { WorkerPool } from '../workers/worker-pool.js';
import type { ReadLinesTask, ReadPartTask, ReadResult } from './read-piece.js';

export const PIECE_BYTES = 2 * 1024 * 1024;
/** An event takes eight bytes, and a line that tells of one hardly less than 32. */
const EVENTS_OF_PIECE = PIECE_BYTES / 32;

/** What another thread made of a piece. */
export interface ReadPiece {
  /** What it says, and the sites of its branches; null: it has to be read where it is known what stands before it. */
  readonly plain: { readonly piece: PlainPiece; readonly sites: SitesOfReader } | null;
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

  /** Reads whole lines. */
  async readLines(task: Omit<ReadLinesTask, 'knowledge'>): Promise<ReadPiece> {
    const { knowledge } = this.beginning();
    return this.heard(await this.pool.run('readLines', { ...task, knowledge }), task.events);
  }

  /** Reads lines of a file. */
  async readPart(task: Omit<ReadPartTask, 'knowledge'>): Promise<ReadPiece> {
    const { knowledge } = this.beginning();
    return this.heard(await this.pool.run('readPart', { ...task, knowledge }), task.events);
  }

  private beginning(): { readonly knowledge: Knowledge; readonly sites: SitesOfReader } {
    const { reader, sitesOfReader } = this.words;
    this.begin ??= { knowledge: inSharedMemory(reader.knowledge()), sites: sitesOfReader.copy() };
    return this.begin;
  }

  private heard({ reader, newBranches, piece, from, to }: ReadResult, events: Int32Array): ReadPiece {
    let sites = this.sitesOf.get(reader);
    if (sites === undefined) this.sitesOf.set(reader, (sites = this.beginning().sites.copy()));
    sites.hear(newBranches);
    return { plain: piece && { piece: withEvents(piece, events), sites }, from, to };
  }
}

/** The events that another thread left there. */
function withEvents(piece: PlainPiece, events: Int32Array): PlainPiece {
  if (piece.branches === null) return piece;
  const length = piece.branches.runs.reduce((sum, run) => sum + run.length, 0);
  return { ...piece, branches: { ...piece.branches, events: events.subarray(0, length) } };
}

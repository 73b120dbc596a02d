/**
 * Pieces of a trace in, in their order, each read beside the others; taken in their order, too.
 */

import type { Interner } from '../parser/intern.js';
import type { PlainPiece } from '../parser/plain-piece.js';
import { SitesOfReader } from '../parser/sites-of-reader.js';
import type { WorkerPool } from './worker-pool.js';

/** A piece that another thread has read. */
export interface ReadPiece {
  readonly piece: PlainPiece;
  /** Of the branches that it tells of. */
  readonly sites: SitesOfReader;
}

/** Threads that read, and what each of them calls the branches that it saw. */
export class PieceReaders {
  private readonly pool: WorkerPool;
  private readonly interner: Interner;
  private readonly sitesOf = new Map<number, SitesOfReader>();

  constructor(pool: WorkerPool, interner: Interner) {
    this.pool = pool;
    this.interner = interner;
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

  /**
   * Reads whole lines in another thread; null if they have to be read where it is known what stands before them.
   * `bytes` and `events`: shared memory, where the events are left.
   */
  async read(bytes: Uint8Array, events: Int32Array, originSeconds: number): Promise<ReadPiece | null> {
    const { reader, newBranches, piece } = await this.pool.run('readPiece', { bytes, events, originSeconds });
    let sites = this.sitesOf.get(reader);
    if (sites === undefined) this.sitesOf.set(reader, (sites = new SitesOfReader(this.interner)));
    sites.hear(newBranches);
    if (piece?.branches == null) return piece && { piece, sites };
    const length = piece.branches.runs.reduce((sum, run) => sum + run.length, 0);
    return { piece: { ...piece, branches: { ...piece.branches, events: events.subarray(0, length) } }, sites };
  }
}

/**
 * Sends pieces of a trace to workers.
 */

import { sharableBytes, sharesMemory } from '../../model/shared-memory.js';
import { AddedRows } from '../../parser/added-branches.js';
import type { StandalonePiece } from '../../parser/pieces/standalone-piece.js';
import { ReaderSites, type TraceContext } from '../../parser/trace-context.js';
import type { DecodeResult, DecodeTask } from '../decode/decode-task.js';
import type { WorkSizes } from '../workers/resources.js';
import type { WorkerPool } from '../workers/worker-pool.js';
import { type ReadLinesTask, type ReadPartTask, type ReadResult, withEvents } from './read-piece.js';

/** A line with a branch has hardly less, and its event takes eight. */
const LINE_BYTES = 32;

/** The result of a worker that read a piece. */
export interface ReadPiece {
  /** null: its meaning depends on earlier lines, so read it in order. */
  readonly piece: StandalonePiece | null;
  /** Where its lines begin and end; NaN if no line end was found. */
  readonly from: number;
  readonly to: number;
  /** The lines that were sent, in the memory that they had; null: they were not. */
  readonly text: Uint8Array | null;
  /** The memory for its events, which may have moved. */
  readonly events: Int32Array;
  /** Of its reader. */
  readonly sites: ReaderSites;
}

/** What is read, apart from where its events go. */
type Task<Full> = Omit<Full, 'events' | 'memory'>;

/** A reader that shares no memory. */
interface OtherReader {
  readonly branches: AddedRows;
  readonly sites: ReaderSites;
}

export class PieceReaders {
  /** Of workers that share no memory. */
  private readonly others = new Map<number, OtherReader>();

  constructor(
    private readonly pool: WorkerPool,
    private readonly context: TraceContext,
  ) {}

  get size(): number {
    return this.pool.size;
  }

  get sizes(): WorkSizes {
    return this.pool.sizes;
  }

  /** Returns memory for the events of a piece: its reader shares it, or it moves there and back. */
  newEvents(): Int32Array {
    return new Int32Array(sharableBytes((8 * this.sizes.pieceBytes) / LINE_BYTES));
  }

  /** There is memory for workers. */
  get canWork(): boolean {
    return this.pool.canWork;
  }

  /** Starts the workers, as many as have a task, without waiting for them. */
  async wake(tasks = this.size): Promise<void> {
    await this.pool.wake(tasks);
  }

  get isAwake(): boolean {
    return this.pool.isAwake;
  }

  /** `events`: of `newEvents`. The memory of the lines moves there and back, too, if it is not shared. */
  async readLines(task: Task<ReadLinesTask>, events: Int32Array): Promise<ReadPiece> {
    const moved = [task.bytes.buffer, events.buffer] as ArrayBuffer[];
    return this.received(await this.pool.send('readLines', () => ({ data: this.full(task, events), moved })), events);
  }

  async readPart(task: Task<ReadPartTask>, events: Int32Array): Promise<ReadPiece> {
    const moved = [events.buffer as ArrayBuffer];
    return this.received(await this.pool.send('readPart', () => ({ data: this.full(task, events), moved })), events);
  }

  async decodePart(task: DecodeTask): Promise<DecodeResult> {
    return this.pool.run('decodePart', task);
  }

  private full<Own>(task: Own, events: Int32Array): Own & Pick<ReadPartTask, 'events' | 'memory'> {
    return { ...task, events, memory: sharesMemory() ? this.context.reader.memory : null };
  }

  /** Adds the events that the worker left in memory, and what else it sent. Results of a worker come in order. */
  private received({ piece, from, to, sent }: ReadResult, memory: Int32Array): ReadPiece {
    const { text = null, events = memory } = sent ?? {};
    const full = piece && withEvents(piece, events.subarray(0, piece.branches?.length ?? 0));
    return {
      piece: full,
      from,
      to,
      text,
      events,
      sites: sent === null ? this.context.readerSites : this.sitesOf(sent),
    };
  }

  /** Adds what its reader sent. */
  private sitesOf({ worker, branches }: NonNullable<ReadResult['sent']>): ReaderSites {
    const reader = this.readerOf(worker);
    reader.branches.add(branches);
    return reader.sites;
  }

  private readerOf(worker: number): OtherReader {
    let reader = this.others.get(worker);
    if (reader === undefined) {
      const branches = new AddedRows();
      reader = { branches, sites: new ReaderSites(branches, this.context.interner) };
      this.others.set(worker, reader);
    }
    return reader;
  }
}

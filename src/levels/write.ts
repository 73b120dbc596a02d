/**
 * Writes a levels file: threads as they are replayed, then the page, then the index.
 */
import { createHmac, type Hmac } from 'node:crypto';
import { writeSync } from 'node:fs';
import { constants, deflateRawSync } from 'node:zlib';
import { chunkBytes, functionChunkBytes } from '../codec/page-numbers.js';
import type { ChunkIndex, FunctionCalls, FunctionIndex, Spans, ThreadChunks } from '../model/profile/timeline.js';
import type { Tid } from '../model/units.js';
import { END_MAGIC, type IndexedThread, type LevelsIndex, MAGIC, markOf, type Origin, VERSION } from './format.js';

export class LevelsWriter {
  private readonly mac: Hmac;
  private readonly threads: IndexedThread[] = [];
  private at = 0;

  /** `fd`: of an empty file. */
  constructor(
    private readonly fd: number,
    private readonly origin: Origin,
  ) {
    this.mac = createHmac('sha256', origin.secret);
    const version = Buffer.alloc(4);
    version.writeUInt32LE(VERSION);
    this.write(Buffer.concat([MAGIC, version, markOf(origin)]));
  }

  addThread(tid: Tid, { levels, split, functions, bytes }: ThreadChunks): void {
    this.threads.push({ tid, at: this.at, levels, split, functions });
    this.write(bytes);
  }

  /** Writes the rest. `page`: in parts. */
  async finish(page: AsyncIterable<string>): Promise<void> {
    const { key } = this.origin;
    const pageAt = this.at;
    for await (const part of page) this.write(Buffer.from(part));
    const indexAt = this.at;
    const threads = this.threads.sort((a, b) => a.tid - b.tid);
    const index: LevelsIndex = { key, page: { at: pageAt, bytes: indexAt - pageAt }, threads };
    this.write(deflateRawSync(JSON.stringify(index)));
    this.write(sizes(indexAt, this.at));
    this.writeBytes(this.mac.digest());
    this.writeBytes(END_MAGIC);
  }

  private write(bytes: Uint8Array): void {
    this.mac.update(bytes);
    this.writeBytes(bytes);
  }

  private writeBytes(bytes: Uint8Array): void {
    for (let done = 0; done < bytes.length; ) done += writeSync(this.fd, bytes, done);
    this.at += bytes.length;
  }
}

function sizes(indexAt: number, indexEnd: number): Buffer {
  const bytes = Buffer.alloc(16);
  bytes.writeBigUInt64LE(BigInt(indexAt), 0);
  bytes.writeBigUInt64LE(BigInt(indexEnd), 8);
  return bytes;
}

/** As in pages: for numbers, `Z_FILTERED` saves 1 %. */
const DEFLATE = { level: 6, strategy: constants.Z_FILTERED };

/** Calls of a thread → its chunks: done by the worker that replayed the thread. */
export class ChunkDeflater {
  private readonly levels: WrittenChunks[] = [];
  private readonly split = new WrittenChunks();
  private readonly functions = new WrittenChunks();
  private readonly bounds: Mutable<Pick<FunctionIndex, 'firstFunction' | 'lastFunction'>> = {
    firstFunction: [],
    lastFunction: [],
  };

  /** The lists of `ThreadSpans`; chunks of a list in order. `calls.node`: of the tree that is handed on. */
  add(list: number | 'split', calls: Spans): void {
    if (list === 'split') return this.split.add(calls, chunkBytes(calls));
    while (this.levels.length <= list) this.levels.push(new WrittenChunks());
    this.levels[list].add(calls, chunkBytes(calls));
  }

  /** `first`, `last`: the functions of the first and the last call. */
  addFunctions(calls: FunctionCalls, first: number, last: number): void {
    this.functions.add(calls, functionChunkBytes(calls));
    this.bounds.firstFunction.push(first);
    this.bounds.lastFunction.push(last);
  }

  build(): ThreadChunks {
    const { levels, split, functions, bounds } = this;
    const all = [...levels, split, functions].flatMap(({ chunks }) => chunks);
    return {
      levels: levels.map(({ index }) => index),
      split: split.index,
      functions: { ...functions.index, ...bounds },
      bytes: Buffer.concat(all),
    };
  }
}

type Mutable<Index> = { readonly [Column in keyof Index]: number[] };

class WrittenChunks {
  readonly chunks: Uint8Array[] = [];
  readonly index: Mutable<ChunkIndex> = { calls: [], firstNs: [], lastNs: [], bytes: [] };

  /** `bytes`: of the calls. */
  add({ node, startNs, endNs }: Spans, bytes: Uint8Array): void {
    const deflated = deflateRawSync(bytes, DEFLATE);
    this.chunks.push(deflated);
    this.index.calls.push(node.length);
    this.index.firstNs.push(startNs.reduce((first, ns) => Math.min(first, ns), Number.POSITIVE_INFINITY));
    this.index.lastNs.push(endNs.reduce((last, ns) => Math.max(last, ns), Number.NEGATIVE_INFINITY));
    this.index.bytes.push(deflated.length);
  }
}

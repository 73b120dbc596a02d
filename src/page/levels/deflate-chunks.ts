/**
 * Calls of a thread → the chunks of a levels file: done by the worker that replayed the thread.
 */
import { constants, deflateRawSync } from 'node:zlib';
import type { ChunkIndex, FunctionCalls, FunctionIndex, Spans, ThreadChunks } from '../../model/profile/timeline.js';
import { chunkBytes, functionChunkBytes } from '../data/tables.js';

/** As in pages: for numbers, `Z_FILTERED` saves 1 %. */
const DEFLATE = { level: 6, strategy: constants.Z_FILTERED };

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

/**
 * Calls of a thread → the chunks of a levels file: done by the worker that replayed the thread.
 */
import { constants, deflateRawSync } from 'node:zlib';
import type { ChunkIndex, ThreadChunks } from '../model/timeline/call-chunks.js';
import type { Spans } from '../model/timeline/timeline.js';
import { chunkBytes } from '../render/page/data/calls/chunk.js';

/** As in pages: for numbers, `Z_FILTERED` saves 1 %. */
const DEFLATE = { level: 6, strategy: constants.Z_FILTERED };

export class ChunkDeflater {
  private readonly levels: WrittenChunks[] = [];
  private readonly split = new WrittenChunks();

  /** The lists of `ThreadSpans`; chunks of a list in order. `calls.node`: of the tree that is handed on. */
  add(list: number | 'split', calls: Spans): void {
    if (list === 'split') return this.split.add(calls);
    while (this.levels.length <= list) this.levels.push(new WrittenChunks());
    this.levels[list].add(calls);
  }

  build(): ThreadChunks {
    const { levels, split } = this;
    const all = [...levels, split].flatMap(({ chunks }) => chunks);
    return { levels: levels.map(({ index }) => index), split: split.index, bytes: Buffer.concat(all) };
  }
}

class WrittenChunks {
  readonly chunks: Uint8Array[] = [];
  readonly index: { readonly [Column in keyof ChunkIndex]: number[] } = {
    calls: [],
    firstNs: [],
    lastNs: [],
    bytes: [],
  };

  add(calls: Spans): void {
    const deflated = deflateRawSync(chunkBytes(calls), DEFLATE);
    this.chunks.push(deflated);
    this.index.calls.push(calls.node.length);
    this.index.firstNs.push(calls.startNs.reduce((first, ns) => Math.min(first, ns), Number.POSITIVE_INFINITY));
    this.index.lastNs.push(calls.endNs.reduce((last, ns) => Math.max(last, ns), Number.NEGATIVE_INFINITY));
    this.index.bytes.push(deflated.length);
  }
}

/**
 * Imports inputs into a trace file, so that they are read and decoded only once.
 */
import { setImmediate } from 'node:timers/promises';
import { checkMemory } from '../model/memory-watch.js';
import type { DamagedLine, LineCounts } from '../model/profile/quality.js';
import type { PackedLane } from '../model/trace/packed-thread.js';
import { EventPacker, type PackingParameters } from '../trace/blocks/pack-events.js';
import { type WrittenThread, writeTraceFile } from '../trace/file/write.js';
import { packThread } from '../trace/pack-thread.js';
import { traceContents } from './import/trace-contents.js';
import type { Progress } from './progress.js';
import type { AnalyzedInput } from './read/read-trace.js';
import type { BrokenInput, Trace } from './read/trace.js';
import type { ReadOptions } from './read/trace-builder.js';
import { withTrace } from './with-trace.js';
import type { ResourceOptions } from './workers/resources.js';

export interface ImportOptions extends Pick<ReadOptions, 'select' | 'signal'>, ResourceOptions {
  /** Called after each piece of input and each written thread. */
  readonly onProgress?: (progress: Progress) => void;
}

/** The contents of the file in numbers, and the faults of the inputs. */
export interface ImportedTrace {
  readonly threads: number;
  readonly events: number;
  readonly samples: number;
  readonly bytes: number;
  readonly counts: Readonly<LineCounts>;
  readonly firstDamaged: readonly DamagedLine[];
  readonly brokenInputs: readonly BrokenInput[];
}

/**
 * Reads a trace and writes its file: `write` receives the bytes and is awaited. The same trace gives the same bytes, whatever the
 * order of its inputs and the number of workers.
 *
 * @throws PtflameError as `analyze`, except TIMELESS; and whatever `write` throws
 */
export async function importTrace(
  inputs: readonly AnalyzedInput[],
  write: (bytes: AsyncIterable<Uint8Array>) => Promise<void>,
  options: ImportOptions = {},
): Promise<ImportedTrace> {
  return withTrace(inputs, { ...options, byCalls: true, mayLackBranches: true }, async (trace) => {
    const { contents, terms } = traceContents(trace);
    const counter = new ByteCounter();
    await write(counter.counted(writeTraceFile(contents, packedThreads(trace, terms, options))));
    return accountOf(trace, counter.bytes);
  });
}

function* packedThreads(
  { store }: Trace,
  terms: PackingParameters,
  { signal, onProgress }: ImportOptions,
): Generator<WrittenThread> {
  const packer = new EventPacker(terms);
  for (const [done, tid] of store.tids.entries()) {
    signal?.throwIfAborted();
    checkMemory();
    const lanes: PackedLane[] = [];
    yield { tid, lanes, blocks: packThread(store.threadSource(tid), store.memory.shared(), packer, lanes) };
    onProgress?.({ phase: 'write', threads: done + 1, ofThreads: store.tids.length });
  }
}

class ByteCounter {
  bytes = 0;

  async *counted(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const piece of pieces) {
      this.bytes += piece.length;
      await setImmediate(); // lets signals arrive: the consumer reads several pieces without yielding
      yield piece;
    }
  }
}

function accountOf({ account, store, samples }: Trace, bytes: number): ImportedTrace {
  const { counts, unwanted, firstDamaged, broken } = account;
  return {
    threads: store.tids.length,
    events: counts.events - unwanted,
    samples: samples.reduce((sum, { length }) => sum + length, 0),
    bytes,
    counts,
    firstDamaged,
    brokenInputs: broken,
  };
}

/**
 * Inputs in, the file of a trace out: what reading and decoding cost is paid once.
 */
import { setImmediate } from 'node:timers/promises';
import { checkMemory, watchMemory } from '../../model/memory-watch.js';
import type { PackedLane } from '../../model/packed-thread.js';
import type { DamagedLine, LineCounts } from '../../model/quality.js';
import type { Tid } from '../../model/units.js';
import { EventPacker } from '../../store/pack-events.js';
import { packThread } from '../../store/pack-thread.js';
import type { TraceStore } from '../../store/trace-store.js';
import { type WrittenThread, writeTraceFile } from '../../trace-file/write.js';
import { type AnalyzedInput, type AnalyzeOptions, readAll, recordedWhere } from '../analyze.js';
import { InputReader } from '../read/inputs.js';
import { nothingSelected, refuseUnusable } from '../read/refusals.js';
import { refusedBlock } from '../read/stored-trace.js';
import { MemoryBudget, refusedMemory } from '../workers/memory-budget.js';
import { planResources } from '../workers/resources.js';
import { WorkerPool } from '../workers/worker-pool.js';
import { type PackableTrace, packable } from './trace-contents.js';

export type ImportOptions = Pick<
  AnalyzeOptions,
  'select' | 'signal' | 'onProgress' | 'jobs' | 'memoryBytes' | 'temporaryDirectory'
>;

/** What is in the file, and what was wrong with the inputs. */
export interface ImportedTrace {
  readonly threads: number;
  readonly events: number;
  readonly bytes: number;
  readonly counts: LineCounts;
  readonly firstDamaged: readonly DamagedLine[];
  readonly brokenInputs: readonly { readonly input: string; readonly reason: string }[];
}

/**
 * Reads a trace and writes its file; `write` is given the bytes, and waited for. The same trace gives the same bytes, whatever the
 * order of its inputs and however many threads work.
 *
 * @throws PtflameError as `analyze` does, but for TIMELESS; and whatever `write` throws
 */
export async function importTrace(
  inputs: readonly AnalyzedInput[],
  write: (bytes: AsyncIterable<Uint8Array>) => Promise<void>,
  options: ImportOptions = {},
): Promise<ImportedTrace> {
  const { jobs, memoryBytes, eventBytes, temporaryDirectory } = planResources(options);
  const budget = new MemoryBudget(memoryBytes);
  const unwatch = watchMemory((bytes) => budget.check(bytes));
  const reader = new InputReader(options, { memoryBytes: eventBytes, directory: temporaryDirectory });
  const pool = new WorkerPool(jobs, undefined, { memoryBytes, mostBytes: budget.mostBytes });
  try {
    await readAll(inputs, reader, pool);
    refuseUnusable(reader, options.select ?? {}, true);
    if (reader.counts.events === 0) reader.store.coverRecords(); // else branches tell its bounds
    const tids = reader.store.wantedTids();
    if (tids.length === 0) throw nothingSelected();
    const trace = packable(reader, recordedWhere(inputs));
    const counter = new ByteCounter();
    await write(counter.counted(writeTraceFile(trace.contents, packedThreads(reader.store, tids, trace, options))));
    return accountOf(reader, tids.length, counter.bytes);
  } catch (error) {
    throw refusedBlock(refusedMemory(error), inputs);
  } finally {
    unwatch();
    pool.close().finally(() => reader.store.memory.close());
  }
}

function* packedThreads(
  store: TraceStore,
  tids: readonly Tid[],
  { terms }: PackableTrace,
  { signal, onProgress }: ImportOptions,
): Generator<WrittenThread> {
  const packer = new EventPacker(terms);
  for (const [done, tid] of tids.entries()) {
    signal?.throwIfAborted();
    checkMemory();
    const lanes: PackedLane[] = [];
    yield { tid, lanes, blocks: packThread(store.sourceOf(tid), store.memory.shared(), packer, lanes) };
    onProgress?.({ phase: 'write', threads: done + 1, ofThreads: tids.length });
  }
}

class ByteCounter {
  bytes = 0;

  async *counted(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const piece of pieces) {
      this.bytes += piece.length;
      await setImmediate(); // lets a signal be heard: whoever takes the pieces takes several at once
      yield piece;
    }
  }
}

function accountOf(reader: InputReader, threads: number, bytes: number): ImportedTrace {
  const { counts, store, broken } = reader;
  return {
    threads,
    events: counts.events - store.unwanted,
    bytes,
    counts: { ...counts },
    firstDamaged: reader.firstDamaged(),
    brokenInputs: broken,
  };
}

/**
 * Asks the server for all calls of the function that the panel shows: what they were, then what is inside the slowest and the inferred ones.
 */

import { readChunk, readFunctionChunk } from '../../codec/page-numbers.js';
import {
  type ChunkPart,
  chunksOfFunction,
  NO_SPANS,
  type Spans,
  type ThreadLists,
  type ThreadSpans,
} from '../../model/profile/timeline.js';
import type { Bounds, Nanoseconds, Tid } from '../../model/units.js';
import { callsToLookInto } from '../view/calls/calls-of-function.js';
import type { AllCalls, CallsSearch, ServedCallsOf } from '../view/calls/find-listed-calls.js';
import {
  CallsCollector,
  type FoundCalls,
  type ListedCall,
  MAX_ROWS,
  type SearchedThread,
} from '../view/calls/find-listed-calls.js';
import { concatenated, wantedChunks } from '../view/served-thread.js';
import { type FunctionCallSource, ServerFault } from './served-calls.js';

interface Asked {
  readonly key: string;
  readonly controller: AbortController;
  found: FoundCalls | null;
  readonly inside: Map<ListedCall, ThreadSpans | null>;
  isAwaited: boolean;
}

export class ServedFunctionCalls implements AllCalls {
  private indexes: ReadonlyMap<Tid, ThreadLists> | null = null;
  private asked: Asked | null = null;
  private fault: string | null = null;

  /** `changed`: calls arrived, or there was a fault. */
  constructor(
    private readonly server: FunctionCallSource,
    private readonly changed: () => void,
  ) {}

  of(key: string, search: CallsSearch): ServedCallsOf {
    if (this.asked?.key !== key) {
      this.stop();
      const isAwaited = this.fault === null;
      this.asked = { key, controller: new AbortController(), found: null, inside: new Map(), isAwaited };
      if (isAwaited) void this.load(this.asked, search);
    }
    const { found, inside, isAwaited } = this.asked;
    return { found, inside, isAwaited, fault: this.fault };
  }

  stop(): void {
    this.asked?.controller.abort();
    this.asked = null;
  }

  private async load(asked: Asked, search: CallsSearch): Promise<void> {
    const { signal } = asked.controller;
    try {
      this.indexes ??= await this.server.indexes(signal);
      asked.found = await this.find(search, this.indexes, signal);
      this.changed();
      await this.lookInside(asked, asked.found, search, this.indexes);
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof ServerFault)) throw error;
      this.fault = error.message;
    }
    asked.isAwaited = false;
    this.changed();
  }

  /** Reads some chunks at a time: only the longest calls are kept. */
  private async find(
    { threads, bounds, isPart }: CallsSearch,
    indexes: ReadonlyMap<Tid, ThreadLists>,
    signal: AbortSignal,
  ): Promise<FoundCalls> {
    const collector = new CallsCollector(bounds, isPart);
    for (const parts of functionRequests(threads, indexes, bounds)) {
      const chunks = await this.server.parts(parts, readFunctionChunk, signal);
      const tids = parts.flatMap(({ tid, bytes }) => bytes.map(() => tid));
      for (const [at, calls] of chunks.entries()) collector.addCalls(threadOf(threads, tids[at]), calls);
    }
    return collector.build();
  }

  private async lookInside(
    { inside, controller }: Asked,
    found: FoundCalls,
    { timeline, threads }: CallsSearch,
    indexes: ReadonlyMap<Tid, ThreadLists>,
  ): Promise<void> {
    for (const call of callsToLookInto(found)) {
      const { timed, hasCallees } = threadOf(threads, call.tid);
      const index = indexes.get(call.tid) as ThreadLists; // it has the call
      const parts = hasCallees(call.node) ? partsInside(call, index, timeline.minSpanNs) : [];
      const chunks = parts?.length ? await this.server.parts(parts, readChunk, controller.signal) : [];
      inside.set(call, parts && spansInside(timed.spans, parts, chunks));
    }
  }
}

function threadOf(threads: readonly SearchedThread[], tid: Tid): SearchedThread {
  return threads.find(({ timed }) => timed.tid === tid) as SearchedThread;
}

/** 65,536 calls: less than a frame's time to read. */
const MAX_CHUNKS = 64;

/**
 * Finds the chunks that have the calls of a function: what to ask the server for, request by request.
 *
 * `range`: calls outside of it are not needed.
 */
function functionRequests(
  threads: readonly SearchedThread[],
  indexes: ReadonlyMap<Tid, ThreadLists>,
  range: Bounds,
): ChunkPart[][] {
  const requests: ChunkPart[][] = [];
  let left = 0;
  for (const { timed, isWanted, fn } of threads) {
    const index = indexes.get(timed.tid)?.functions;
    if (index === undefined || !isWanted.includes(1)) continue;
    for (const chunk of chunksOfFunction(index, fn, range.startNs, range.endNs)) {
      if (left === 0) {
        requests.push([]);
        left = MAX_CHUNKS;
      }
      left--;
      addChunk(requests[requests.length - 1], timed.tid, chunk, index.bytes[chunk]);
    }
  }
  return requests;
}

function addChunk(parts: ChunkPart[], tid: Tid, chunk: number, bytes: number): void {
  const before = parts.at(-1);
  if (before?.tid === tid && before.last === chunk - 1)
    parts.splice(-1, 1, { ...before, last: chunk, bytes: [...before.bytes, bytes] });
  else parts.push({ tid, list: 'functions', first: chunk, last: chunk, bytes: [bytes] });
}

/**
 * A call and the calls of its thread that a server sent → the calls inside it, as far as the page lacks them.
 *
 * A part of a level.
 */
interface LevelPart extends ChunkPart {
  readonly list: number;
}

/** Returns what has them; null: they are too many. `minSpanNs`: the page has the calls that last so long. */
function partsInside(
  { tid, startNs, endNs }: ListedCall,
  index: ThreadLists,
  minSpanNs: Nanoseconds,
): readonly LevelPart[] | null {
  const { levels } = index;
  const { ranges, belowNs } = wantedChunks(index, { startNs, endNs }, 0, minSpanNs);
  const between = ranges.flatMap(({ level, first, last }) => levels[level].calls.slice(first + 1, last));
  if (belowNs > 0 || between.reduce((sum, calls) => sum + calls, 0) > MAX_ROWS) return null;
  return ranges.map(({ level, first, last }) => {
    return { tid, list: level, first, last, bytes: levels[level].bytes.slice(first, last + 1) };
  });
}

/** Adds them to the calls of the page. `chunks`: of all parts, in order. */
function spansInside(own: ThreadSpans, parts: readonly LevelPart[], chunks: readonly Spans[]): ThreadSpans {
  const levels = own.levels.slice();
  let at = 0;
  for (const { list, bytes } of parts) {
    while (levels.length <= list) levels.push(NO_SPANS);
    levels[list] = concatenated(chunks.slice(at, at + bytes.length));
    at += bytes.length;
  }
  return { levels, split: own.split };
}

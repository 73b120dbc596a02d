/**
 * Completes the calls of a stack chart with those that the server has: shows what is there, and asks for what a window lacks.
 */

import { readChunk } from '../../codec/page-numbers.js';
import type { ChunkLists, ChunkPart, Spans, ThreadLists } from '../../model/profile/timeline.js';
import type { Bounds, Nanoseconds, Tid } from '../../model/units.js';
import type { ChartThread, WhyUnlisted } from '../view/chart/chart-thread.js';
import { memoizeLast } from '../view/memoize-last.js';
import {
  type ChunkOf,
  type ChunkRange,
  joinedThread,
  servedThread,
  type WantedChunks,
  wantedChunks,
} from '../view/served-thread.js';
import { inflated } from './platform/inflate.js';

const MAX_CACHE_BYTES = 64 * 2 ** 20;

/** What was asked for together. */
interface Batch {
  readonly keys: ReadonlySet<string>;
  readonly controller: AbortController;
}

export class ServedCalls {
  /** Why the server is not asked any more; null: it is. */
  fault: string | null = null;
  private readonly indexes = new Map<Tid, ChunkLists>();
  private readonly cache = new ChunkCache(MAX_CACHE_BYTES);
  private batch: Batch | null = null;
  /** How often calls arrived. */
  private arrivals = 0;
  private readonly servedOf = memoizeLast(servedThread);
  private readonly joinedOf = memoizeLast(joinedThread);

  /** `changed`: calls arrived, or there was a fault. */
  constructor(
    private readonly server: CallSource,
    private readonly changed: () => void,
  ) {}

  /** Returns a thread of the page with the calls of a window that are here. `pixelNs`: what a pixel shows. */
  threadIn(own: ChartThread, window: Bounds, pixelNs: Nanoseconds): ChartThread {
    const { tid, unlisted } = own;
    if (pixelNs >= unlisted.belowNs) {
      this.stop();
      return this.served(own, 'pixel');
    }
    const index = this.indexes.get(tid);
    if (index === undefined) {
      this.ask([`${tid}`], (signal) => this.loadIndex(tid, signal));
      return this.served(own, this.whyMissing);
    }
    return this.joined(own, index, wantedChunks(index, window, pixelNs, unlisted.belowNs), window);
  }

  /** Nothing that was asked for is needed any more. */
  stop(): void {
    this.batch?.controller.abort();
    this.batch = null;
  }

  private get whyMissing(): WhyUnlisted {
    return this.fault === null ? 'awaited' : 'gone';
  }

  private served(own: ChartThread, why: WhyUnlisted): ChartThread {
    return this.servedOf(`${own.tid} ${why}`, own, why);
  }

  private joined(own: ChartThread, index: ChunkLists, wanted: WantedChunks, window: Bounds): ChartThread {
    const { tid } = own;
    const chunkOf = (level: number, chunk: number) => this.cache.get(chunkKey(tid, level, chunk));
    const missing = wanted.ranges.flatMap((range) => missingOf(range, chunkOf));
    if (missing.length === 0) this.stop();
    else this.ask(keysOf(tid, missing), (signal) => this.loadChunks(tid, missing, index, signal));
    const why = missing.length === 0 ? null : this.whyMissing;
    const ranges = wanted.ranges.map(({ level, first, last }) => `${level}/${first}-${last}`);
    const base = this.served(own, 'pixel');
    const key = [tid, this.arrivals, why, wanted.belowNs, ...ranges].join(' ');
    return { ...this.joinedOf(key, base, index, wanted, chunkOf, why), within: { window, elsewhere: base } };
  }

  /** What is being asked for already is not asked again; what nobody needs any more is not waited for. */
  private ask(keys: readonly string[], load: (signal: AbortSignal) => Promise<unknown>): void {
    if (this.fault !== null || keys.some((key) => this.batch?.keys.has(key))) return;
    this.stop();
    const controller = new AbortController();
    const batch = { keys: new Set(keys), controller };
    this.batch = batch;
    void load(controller.signal)
      .catch((error) => {
        if (controller.signal.aborted) return;
        if (!(error instanceof ServerFault)) throw error;
        this.fault = error.message;
        controller.abort();
      })
      .finally(() => {
        if (this.batch === batch) this.batch = null;
        this.changed();
      });
  }

  private async loadIndex(tid: Tid, signal: AbortSignal): Promise<void> {
    this.indexes.set(tid, await this.server.index(tid, signal));
  }

  private loadChunks(tid: Tid, ranges: readonly ChunkRange[], index: ChunkLists, signal: AbortSignal) {
    return Promise.all(
      ranges.map(async (range) => {
        const chunks = await this.server.chunks(tid, range, index, signal);
        for (const [at, calls] of chunks.entries()) this.cache.add(chunkKey(tid, range.level, range.first + at), calls);
        this.arrivals++;
        this.changed();
      }),
    );
  }
}

/** Returns the parts of a range that are not there. */
function missingOf({ level, first, last }: ChunkRange, chunkOf: ChunkOf): ChunkRange[] {
  const missing: ChunkRange[] = [];
  for (let chunk = first; chunk <= last; chunk++) {
    if (chunkOf(level, chunk) !== undefined) continue;
    const before = missing.at(-1);
    if (before?.last === chunk - 1) missing.splice(-1, 1, { ...before, last: chunk });
    else missing.push({ level, first: chunk, last: chunk });
  }
  return missing;
}

function keysOf(tid: Tid, ranges: readonly ChunkRange[]): string[] {
  return ranges.flatMap(({ level, first, last }) =>
    Array.from({ length: last - first + 1 }, (_, at) => chunkKey(tid, level, first + at)),
  );
}

/** Two times and two numbers. */
const CALL_BYTES = 24;

/** Keeps chunks of calls as long as they fit; those that were not used for the longest time go first. */
export class ChunkCache {
  /** The most recently used last. */
  private readonly chunks = new Map<string, Spans>();
  private bytes = 0;

  constructor(private readonly maxBytes: number) {}

  get(key: string): Spans | undefined {
    const calls = this.chunks.get(key);
    if (calls === undefined) return undefined;
    this.chunks.delete(key);
    this.chunks.set(key, calls);
    return calls;
  }

  add(key: string, calls: Spans): void {
    if (this.chunks.has(key)) return;
    this.chunks.set(key, calls);
    this.bytes += bytesOf(calls);
    for (const [oldest, own] of this.chunks) {
      if (this.bytes <= this.maxBytes) return;
      this.chunks.delete(oldest);
      this.bytes -= bytesOf(own);
    }
  }
}

function bytesOf({ node }: Spans): number {
  return CALL_BYTES * node.length;
}

function chunkKey(tid: Tid, level: number, chunk: number): string {
  return `${tid}/${level}/${chunk}`;
}

const MISSING = 'so calls are missing here';

/**
 * Asks the server of the page for calls: for the index of threads, and for consecutive chunks (docs/files.md).
 */
export type CallSource = Pick<CallServer, 'index' | 'chunks'>;
export type FunctionCallSource = Pick<CallServer, 'indexes' | 'parts'>;

/** @throws ServerFault for everything but an abort */
export class CallServer {
  /** `page`: its address. */
  constructor(private readonly page: string) {}

  async index(tid: Tid, signal: AbortSignal): Promise<ChunkLists> {
    const response = await this.ask(`calls/${tid}`, signal);
    return readable(response.json() as Promise<ChunkLists>, signal);
  }

  /** Of all threads. */
  async indexes(signal: AbortSignal): Promise<ReadonlyMap<Tid, ThreadLists>> {
    const response = await this.ask('calls', signal);
    const indexes = response.json() as Promise<(ThreadLists & { readonly tid: Tid })[]>;
    return new Map((await readable(indexes, signal)).map((index) => [index.tid, index]));
  }

  chunks(tid: Tid, { level, first, last }: ChunkRange, index: ChunkLists, signal: AbortSignal): Promise<Spans[]> {
    const bytes = index.levels[level].bytes.slice(first, last + 1);
    return this.parts([{ tid, list: level, first, last, bytes }], readChunk, signal);
  }

  /** Returns the chunks of all parts, in order. */
  async parts<Calls>(
    parts: readonly ChunkPart[],
    read: (bytes: Uint8Array) => Calls,
    signal: AbortSignal,
  ): Promise<Calls[]> {
    const paths = parts.map(({ tid, list, first, last }) => `${tid}/${list}/${first}-${last}`);
    const response = await this.ask(`calls/${paths.join()}`, signal);
    const sizes = parts.flatMap(({ bytes }) => bytes);
    return readable(
      response.arrayBuffer().then((bytes) => readChunks(bytes, sizes, read)),
      signal,
    );
  }

  private async ask(path: string, signal: AbortSignal): Promise<Response> {
    const response = await fetch(new URL(path, this.page), { signal }).catch((error) => {
      throw signal.aborted
        ? error
        : new ServerFault(
            `ptflame serve does not answer, ${MISSING}: start it again, and open the address that it prints`,
            error,
          );
    });
    if (response.ok) return response;
    throw new ServerFault(
      `ptflame serve refused a request (${response.status}), ${MISSING}: open the address that it printed last`,
    );
  }
}

/** Returns the server that sent the page; null: the page is a file. `container`: of the page. */
export function ownServer({ dataset }: HTMLElement): CallServer | null {
  const isServed = dataset['served'] !== undefined && location.protocol === 'http:';
  return isServed ? new CallServer(location.href) : null;
}

/** What went wrong, for people. */
export class ServerFault extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
  }
}

function readable<Value>(value: Promise<Value>, signal: AbortSignal): Promise<Value> {
  return value.catch((error) => {
    throw signal.aborted
      ? error
      : new ServerFault(`what ptflame serve sent cannot be read, ${MISSING}: reload the page`, error);
  });
}

/** `sizes`: of each chunk, deflated. */
async function readChunks<Calls>(
  bytes: ArrayBuffer,
  sizes: readonly number[],
  read: (bytes: Uint8Array) => Calls,
): Promise<Calls[]> {
  let at = 0;
  const parts = sizes.map((size) => {
    const part = new Uint8Array(bytes, at, size);
    at += size;
    return part;
  });
  return Promise.all(parts.map(async (part) => read(await inflated(part))));
}

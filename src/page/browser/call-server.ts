/**
 * Asks the server of the page for calls: for the index of threads, and for consecutive chunks (docs/levels-format.md).
 */

import { readChunk } from '../../codec/page-numbers.js';
import type { ChunkLists, ChunkPart, ThreadLists } from '../../model/timeline/call-chunks.js';
import type { Spans } from '../../model/timeline/timeline.js';
import type { Tid } from '../../model/units.js';
import type { ChunkRange } from '../view/wanted-chunks.js';
import { inflated } from './platform/decode.js';

const MISSING = 'so calls are missing here';

export type CallSource = Pick<CallServer, 'index' | 'chunks'>;
export type FunctionCallSource = Pick<CallServer, 'indexes' | 'parts'>;

/** @throws ServerFault for everything but an abort */
export class CallServer {
  private readonly page: string;

  /** `page`: its address. */
  constructor(page: string) {
    this.page = page;
  }

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

/**
 * Asks the server of the page for calls: the index of a thread, and consecutive chunks of a level (docs/levels-format.md).
 */
import type { ChunkLists } from '../../../../model/timeline/call-chunks.js';
import type { Spans } from '../../../../model/timeline/timeline.js';
import type { Tid } from '../../../../model/units.js';
import { readChunk } from '../../data/calls/chunk.js';
import type { ChunkRange } from '../../view/served/wanted-chunks.js';
import { inflated } from '../platform/decode.js';

const MISSING = 'so calls are missing here';

export type CallSource = Pick<CallServer, 'index' | 'chunks'>;

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

  async chunks(tid: Tid, { level, first, last }: ChunkRange, index: ChunkLists, signal: AbortSignal): Promise<Spans[]> {
    const response = await this.ask(`calls/${tid}/${level}/${first}-${last}`, signal);
    const sizes = index.levels[level].bytes.slice(first, last + 1);
    return readable(
      response.arrayBuffer().then((bytes) => readChunks(bytes, sizes)),
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
async function readChunks(bytes: ArrayBuffer, sizes: readonly number[]): Promise<Spans[]> {
  let at = 0;
  const parts = sizes.map((size) => {
    const part = new Uint8Array(bytes, at, size);
    at += size;
    return part;
  });
  return Promise.all(parts.map(async (part) => readChunk(await inflated(part))));
}

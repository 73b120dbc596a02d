/**
 * Serves the report page and the calls of a trace to browsers on this machine.
 */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream/promises';
import type { Part } from '../../src/levels/format.js';
import { BLOCK_BYTES, type LevelsFile } from '../../src/levels/read.js';
import { PtflameError } from '../../src/model/errors.js';
import { pagePolicy } from '../../src/page/html.js';

export interface RunningServer extends Address {
  /** From now on there is something to send. */
  serve(levels: LevelsFile): void;
  close(): void;
}

/** Nobody needs more; times in milliseconds. */
const LIMITS = {
  maxHeaderSize: 8192,
  headersTimeout: 10_000,
  requestTimeout: 10_000,
  connectionsCheckingInterval: 5000,
};
/** A reader that takes nothing for so long is gone. */
const SLOW_READER_MS = 60_000;

/** A connection has one request: more that are sent at once would all have to be kept. */
const HEADERS = {
  Connection: 'close',
  'Cache-Control': 'no-store',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
};

const LOOPBACK = '127.0.0.1';
const TOKEN_BYTES = 24;
const MAX_CONNECTIONS = 64;

/**
 * Takes the port; until there is something to send, requests are answered with 503.
 *
 * `port`: 0 for any that is free. `onTrouble`: called when an answer cannot be sent whole; a reader that has gone is none.
 * @throws PtflameError SYSTEM
 */
export async function startServer(
  port: number,
  onTrouble: (trouble: PtflameError) => void = () => {},
): Promise<RunningServer> {
  const token = randomBytes(TOKEN_BYTES).toString('base64url');
  const server = createServer(LIMITS);
  server.maxConnections = MAX_CONNECTIONS;
  server.maxRequestsPerSocket = 1;
  server.timeout = SLOW_READER_MS;
  await listening(server, port);
  const address = { port: (server.address() as AddressInfo).port, token };
  const headers = { ...HEADERS, 'Content-Security-Policy': `${pagePolicy(true)}; frame-ancestors 'none'` };
  let served: LevelsFile | null = null;
  const onRequest = (request: IncomingMessage, response: ServerResponse) => {
    respond(request, response, address, served, headers).catch((error: unknown) => {
      response.destroy();
      if (error instanceof PtflameError) onTrouble(error);
    });
  };
  for (const event of ['request', 'checkContinue', 'checkExpectation']) server.on(event, onRequest);
  return {
    ...address,
    serve(levels) {
      served = levels;
    },
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

async function respond(
  request: IncomingMessage,
  response: ServerResponse,
  address: Address,
  levels: LevelsFile | null,
  headers: Readonly<Record<string, string>>,
): Promise<void> {
  const refusal = requestRefusal(request, address);
  if (refusal !== null) return refuse(response, refusal);
  const path = pathAfterToken(request.url ?? '', address.token);
  if (path !== null && levels === null) return refuse(response, 503);
  const found = path === null || levels === null ? null : findAnswer(path, levels);
  if (found === null) return refuse(response, 404);
  const { type, bytes, body } = found;
  response.writeHead(200, { ...headers, 'Content-Type': type, 'Content-Length': bytes });
  await pipeline(request.method === 'HEAD' ? [] : body, response); // waits for a slow reader
}

function refuse(response: ServerResponse, status: number): void {
  response.writeHead(status, { ...HEADERS, 'Content-Length': 0 }).end();
}

function listening(server: Server, port: number): Promise<void> {
  return new Promise((done, failed) => {
    server.once('error', (error) => failed(cannotListen(error, port)));
    server.listen({ host: LOOPBACK, port, exclusive: true }, done);
  });
}

function cannotListen(cause: Error, port: number): PtflameError {
  const code = (cause as NodeJS.ErrnoException).code ?? '';
  const why = { EADDRINUSE: 'it is in use', EACCES: 'it needs privileges' }[code] ?? cause.message;
  return new PtflameError('SYSTEM', `cannot listen on port ${port} of ${LOOPBACK}: ${why}`, {
    hint: 'leave out --port to use any free port',
    cause,
  });
}

/**
 * Decides which requests are answered at all: only those of a browser on this machine that was given the address.
 */
interface Address {
  readonly port: number;
  readonly token: string;
}

/** Where a page of the web had its own name resolved to this machine, its name is in Host (DNS rebinding). */
function hostsOf(port: number): string[] {
  const names = ['127.0.0.1', 'localhost'];
  return names.flatMap((name) => (port === HTTP_PORT ? [name, `${name}:${port}`] : [`${name}:${port}`]));
}

const HTTP_PORT = 80;
/** The page itself asks, or an address that somebody typed or opened. */
const OWN_SITES = new Set(['same-origin', 'none']);

/** Returns the status with which a request is refused; null: it is not. */
function requestRefusal(request: IncomingMessage, { port }: Pick<Address, 'port'>): number | null {
  const { headers, rawHeaders, method } = request;
  const hosts = rawHeaders.filter((name, at) => at % 2 === 0 && name.toLowerCase() === 'host');
  if (hosts.length !== 1 || !hostsOf(port).includes(headers.host?.toLowerCase() ?? '')) return 421;
  if (method !== 'GET' && method !== 'HEAD') return 405;
  if (headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0') return 413;
  if (headers.upgrade !== undefined || headers.expect !== undefined) return 400;
  if (headers.origin !== undefined && headers.origin !== `http://${headers.host}`) return 403;
  const site = headers['sec-fetch-site'];
  return site === undefined || OWN_SITES.has(String(site)) ? null : 403;
}

/** Returns the path after the token; null if it does not begin with it. How long it takes does not depend on the token. */
function pathAfterToken(url: string, token: string): string | null {
  const [, given, path] = /^\/([^/?#]*)(\/[^?#]*)$/.exec(url) ?? [];
  return given !== undefined && path !== undefined && timingSafeEqual(hashOf(given), hashOf(token)) ? path : null;
}

function hashOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

/**
 * Finds what a path is answered with. These are all paths that there are:
 *
 *     /                                the page
 *     /calls                           the index of all chunks, as JSON
 *     /calls/TID                       the index of a thread's chunks
 *     /calls/TID/LIST/FIRST-LAST,…     consecutive chunks of lists, as they are stored; a list is a level, "split" or
 *                                      "functions"
 */
interface Answer {
  readonly type: string;
  readonly bytes: number;
  /** Piece by piece, as the reader takes them. */
  readonly body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
}

/** More are not needed at once. */
const MAX_CHUNKS = 256;
const CHUNKS = /^(\d{1,10})\/(\d{1,2}|split|functions)\/(\d{1,9})-(\d{1,9})$/;

/** Returns null for any other path. */
function findAnswer(path: string, levels: LevelsFile): Answer | null {
  if (path === '/') return answerWithParts('text/html; charset=utf-8', [levels.page], levels);
  if (path === '/calls') return answerWithJson(levels.indexJson);
  const [, tid] = /^\/calls\/(\d{1,10})$/.exec(path) ?? [];
  if (tid !== undefined) return answerWithJson(levels.threadJson(Number(tid)));
  const parts = chunksAt(path, levels);
  return parts && answerWithParts('application/octet-stream', parts, levels);
}

function chunksAt(path: string, levels: LevelsFile): Part[] | null {
  const [, list] = /^\/calls\/(.+)$/.exec(path) ?? [];
  let count = 0;
  const parts = list?.split(',').map((part) => {
    const [, tid, name, first, last] = CHUNKS.exec(part) ?? [];
    count += Number(last) - Number(first) + 1;
    if (tid === undefined || !(count <= MAX_CHUNKS)) return null;
    return levels.chunks(Number(tid), isNamed(name) ? name : Number(name), Number(first), Number(last));
  });
  return parts?.every((part) => part !== null) ? parts : null;
}

function isNamed(list: string | undefined): list is 'split' | 'functions' {
  return list === 'split' || list === 'functions';
}

function answerWithJson(json: Buffer | null): Answer | null {
  return json && { type: 'application/json', bytes: json.length, body: [json] };
}

function answerWithParts(type: string, parts: readonly Part[], levels: LevelsFile): Answer {
  return { type, bytes: parts.reduce((sum, { bytes }) => sum + bytes, 0), body: piecesOf(parts, levels) };
}

async function* piecesOf(parts: readonly Part[], levels: LevelsFile): AsyncGenerator<Uint8Array> {
  for (const part of parts) {
    const end = part.at + part.bytes;
    for (let at = part.at; at < end; ) {
      const bytes = Math.min(end - at, BLOCK_BYTES - (at % BLOCK_BYTES)); // up to the next border of blocks
      yield await levels.read({ at, bytes });
      at += bytes;
    }
  }
}

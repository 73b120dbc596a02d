/**
 * Serves a page, and what it asks for, to browsers on this machine.
 */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream/promises';
import { PtflameError } from '../../src/model/errors.js';

/** What there is at an address. */
export interface Site {
  /** Of each answer, besides those of all sites. */
  readonly headers: Readonly<Record<string, string>>;
  /** `path`: from "/" on. Returns null if there is nothing. */
  find(path: string): Answer | null;
}

export interface Answer {
  readonly type: string;
  readonly bytes: number;
  /** Besides those of its site, or in their place. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Piece by piece, as the reader takes them. */
  readonly body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
}

export interface RunningServer extends Address {
  /** From now on there is something to send. */
  serve(site: Site): void;
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
  let served: Site | null = null;
  const onRequest = (request: IncomingMessage, response: ServerResponse) => {
    respond(request, response, address, served).catch((error: unknown) => {
      response.destroy();
      if (error instanceof PtflameError) onTrouble(error);
    });
  };
  for (const event of ['request', 'checkContinue', 'checkExpectation']) server.on(event, onRequest);
  return {
    ...address,
    serve(site) {
      served = site;
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
  site: Site | null,
): Promise<void> {
  const refusal = requestRefusal(request, address);
  if (refusal !== null) return refuse(response, refusal);
  const path = pathAfterToken(request.url ?? '', address.token);
  if (path !== null && site === null) return refuse(response, 503);
  const found = path === null || site === null ? null : site.find(path);
  if (site === null || found === null) return refuse(response, 404);
  const { type, bytes, body, headers } = found;
  response.writeHead(200, { ...HEADERS, ...site.headers, ...headers, 'Content-Type': type, 'Content-Length': bytes });
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

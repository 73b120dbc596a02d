/**
 * Serves the report page and the calls of a trace to browsers on this machine.
 */
import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream/promises';
import { PtflameError } from '../../src/model/errors.js';
import { pagePolicy } from '../../src/page/html.js';
import type { LevelsFile } from '../../src/page/levels/read.js';
import { findAnswer } from './find-answer.js';
import { type Address, pathAfterToken, requestRefusal } from './request-refusal.js';

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

/**
 * Serves the report page and the calls of a trace to browsers on this machine.
 */
import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { LevelsFile } from '../../src/levels.js';
import { pagePolicy } from '../../src/page.js';
import { PtflameError } from '../../src/text.js';
import { findAnswer } from './find-answer.js';
import { type Address, pathAfterToken, requestRefusal } from './request-refusal.js';

export interface RunningServer extends Address {
  close(): void;
}

const LOOPBACK = '127.0.0.1';
const TOKEN_BYTES = 24;
const MAX_CONNECTIONS = 64;
const LIMITS = {
  maxHeaderSize: 8192,
  headersTimeout: 10_000,
  requestTimeout: 10_000,
  keepAliveTimeout: 10_000,
  connectionsCheckingInterval: 5000,
};

const HEADERS = {
  'Cache-Control': 'no-store',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
};

/** `port`: 0 for any that is free. @throws PtflameError SYSTEM */
export async function startServer(levels: LevelsFile, port: number): Promise<RunningServer> {
  const token = randomBytes(TOKEN_BYTES).toString('base64url');
  const policy = `${pagePolicy(true)}; frame-ancestors 'none'`;
  const server = createServer(LIMITS);
  server.maxConnections = MAX_CONNECTIONS;
  await listening(server, port);
  const address = { port: (server.address() as AddressInfo).port, token };
  const onRequest = (request: IncomingMessage, response: ServerResponse) => {
    answer(request, response, address, levels, policy).catch(() => response.destroy());
  };
  for (const event of ['request', 'checkContinue', 'checkExpectation']) server.on(event, onRequest);
  return {
    ...address,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  address: Address,
  levels: LevelsFile,
  policy: string,
): Promise<void> {
  const refusal = requestRefusal(request, address);
  if (refusal !== null) return refuse(response, refusal);
  const path = pathAfterToken(request.url ?? '', address.token);
  const found = path === null ? null : await findAnswer(path, levels);
  if (found === null) return refuse(response, 404);
  const { type, body } = found;
  const headers = {
    ...HEADERS,
    'Content-Security-Policy': policy,
    'Content-Type': type,
    'Content-Length': body.length,
  };
  response.writeHead(200, headers).end(request.method === 'HEAD' ? undefined : body);
}

/** The connection ends: what else was sent is not read. */
function refuse(response: ServerResponse, status: number): void {
  response.writeHead(status, { ...HEADERS, 'Content-Length': 0, Connection: 'close' }).end();
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
    hint: 'leave --port out: any free port is taken',
    cause,
  });
}

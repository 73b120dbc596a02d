/**
 * Serves files from memory or from a folder, as a host of static files does.
 */
import { readFile } from 'node:fs/promises';
import { createServer, type OutgoingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
};

export interface StaticServer {
  /** Without a slash at the end. */
  readonly address: string;
  /** The paths that were requested. */
  readonly seen: string[];
  folder: string;
  headers: OutgoingHttpHeaders;
  /** Where paths lead instead. */
  readonly redirects: Map<string, string>;
}

/** `beforeAll` starts it, on a port of its own: an origin of its own. */
export function staticServer(): StaticServer {
  const served = {
    address: '',
    seen: [] as string[],
    folder: '',
    headers: {} as OutgoingHttpHeaders,
    redirects: new Map<string, string>(),
  };
  let server: Server;
  beforeAll(async () => {
    server = createServer(async (request, response) => {
      const { pathname } = new URL(request.url ?? '/', 'http://localhost');
      served.seen.push(pathname);
      const location = served.redirects.get(pathname);
      if (location !== undefined || pathname === '/favicon.ico') {
        response.writeHead(location === undefined ? 204 : 302, { ...(location && { location }) }).end();
        return;
      }
      const path = pathname.endsWith('/') ? `${pathname}index.html` : pathname;
      const content = await readFile(join(served.folder, path)).catch(() => null);
      const type = TYPES[extname(path)] ?? 'application/octet-stream';
      response.writeHead(content === null ? 404 : 200, { 'content-type': type, ...served.headers });
      response.end(content);
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    served.address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });
  return served;
}

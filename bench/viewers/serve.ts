/**
 * Serves files of some directories to the browser on this machine: pages opened as files may not fetch any.
 */
import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join, normalize } from 'node:path';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.mjs': 'text/javascript',
  '.css': 'text/css',
  '.json': 'application/json',
  '.wasm': 'application/wasm',
};

/** `directories`: by the first part of the path. `patch`: changes texts on their way. */
export async function serve(
  directories: Readonly<Record<string, string>>,
  patch: (path: string, bytes: Buffer) => Buffer | string,
): Promise<{ readonly origin: string; readonly close: () => void }> {
  const server: Server = createServer(({ url = '/' }, response) => {
    const path = normalize(decodeURIComponent(new URL(url, 'http://localhost').pathname));
    const [, first = '', ...rest] = path.split('/');
    const directory = directories[first];
    const bytes = directory === undefined ? Promise.reject(new Error('unknown')) : readFile(join(directory, ...rest));
    bytes.then(
      (read) =>
        response.writeHead(200, { 'content-type': TYPES[extname(path)] ?? 'text/plain' }).end(patch(path, read)),
      () => response.writeHead(404).end(),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { origin: `http://127.0.0.1:${port}`, close: () => void server.close() };
}

/**
 * Asks a local server for files by build id: what arrives in the cache, and what happens if the server misbehaves.
 */
import { mkdir, readdir, readFile, stat, utimes, writeFile } from 'node:fs/promises';
import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect } from 'vitest';
import { DebuginfodClient } from '../../../cli/input/client.js';
import { Locality } from '../../../cli/input/download.js';
import { debuginfodSettings } from '../../../cli/input/settings.js';
import { test } from '../../helpers/cli/run-cli.js';
import { program } from '../../symbols/elf-builder.js';

const ID = 'abcdef0123456789abcdef0123456789abcdef01';
const BINARY = program({ buildId: ID });
const OTHER_BINARY = program({ buildId: ID.replace('ab', 'cd') });
const NEVER = new AbortController().signal;

const servers: { close(): void; closeAllConnections(): void }[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

async function serve(
  answer: RequestListener,
  host = '127.0.0.1',
): Promise<{ readonly url: string; readonly asked: string[] }> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    answer(request, response);
  });
  servers.push(server);
  await new Promise<void>((resolve) => void server.listen(0, host, resolve));
  return { url: `http://${host}:${(server.address() as AddressInfo).port}`, asked };
}

const sends =
  (bytes: Uint8Array, headers = {}) =>
  (_: unknown, response: ServerResponse) => {
    response.writeHead(200, headers).end(bytes);
  };
const status =
  (code: number, headers = {}) =>
  (_: unknown, response: ServerResponse) => {
    response.writeHead(code, headers).end('page');
  };

function clientOf(urls: string, cache: string, env: Record<string, string> = {}, signal = NEVER) {
  const lines: string[] = [];
  const notify = (line: string) => void lines.push(line);
  const settings = debuginfodSettings({ DEBUGINFOD_URLS: urls, DEBUGINFOD_CACHE_PATH: cache, ...env }, '/', notify);
  if (settings === null) throw new Error('no settings');
  return { client: new DebuginfodClient(settings, { signal, notify, nowMs: Date.now }), lines };
}

describe('a file that the server has', () => {
  test('gets into the cache, under the name that elfutils uses', async ({ dir }) => {
    const { url, asked } = await serve(sends(BINARY));
    const { client, lines } = clientOf(url, dir.path);
    const path = await client.find(ID, 'debuginfo');
    expect(path).toBe(join(dir.path, ID, 'debuginfo'));
    expect(new Uint8Array(await readFile(path as string))).toEqual(BINARY);
    expect([asked, await readdir(join(dir.path, ID)), lines]).toEqual([
      [`/buildid/${ID}/debuginfo`],
      ['debuginfo'],
      [],
    ]);
    expect([client.files, client.bytes]).toEqual([1, BINARY.length]);
  });

  test('is not asked for again', async ({ dir }) => {
    const { url, asked } = await serve(sends(BINARY));
    await clientOf(url, dir.path).client.find(ID, 'executable');
    const { client } = clientOf(url, dir.path);
    expect(await client.find(ID, 'executable')).toBe(join(dir.path, ID, 'executable'));
    expect([asked.length, client.files]).toEqual([1, 0]);
  });

  test('is asked for again if the copy in the cache is damaged', async ({ dir }) => {
    const { url } = await serve(sends(BINARY));
    await mkdir(join(dir.path, ID));
    await writeFile(join(dir.path, ID, 'executable'), BINARY.subarray(0, 5000));
    expect(await clientOf(url, dir.path).client.find(ID, 'executable')).not.toBeNull();
    expect((await stat(join(dir.path, ID, 'executable'))).size).toBe(BINARY.length);
  });

  test('is found on the second server, and below a path', async ({ dir }) => {
    const [first, second] = [await serve(status(404)), await serve(sends(BINARY))];
    const { client, lines } = clientOf(`${first.url}/ ${second.url}/below`, dir.path);
    expect(await client.find(ID, 'executable')).not.toBeNull();
    expect([first.asked, second.asked, lines]).toEqual([
      [`/buildid/${ID}/executable`],
      [`/below/buildid/${ID}/executable`],
      [],
    ]);
  });

  test('is found after a redirection', async ({ dir }) => {
    const target = await serve(sends(BINARY));
    const { url } = await serve(status(302, { location: `${target.url}/elsewhere` }));
    expect(await clientOf(url, dir.path).client.find(ID, 'executable')).not.toBeNull();
    expect(target.asked).toEqual(['/elsewhere']);
  });
});

describe('a redirection to an address more local than that of the server', () => {
  /** For the test, one address of this machine is public. */
  const localityOf = (address: string) => (address.endsWith('127.0.0.2') ? Locality.Public : Locality.Loopback);

  async function follow(target: string, from: string, cache: string) {
    const { url } = await serve(status(302, { location: target }), from);
    const lines: string[] = [];
    const servers = [new URL(`${url}/`)];
    const settings = { servers, cache, timeoutMs: 10_000, maxTimeMs: 10_000, maxBytes: 100_000 };
    const client = new DebuginfodClient(settings, {
      ...{ signal: NEVER, nowMs: Date.now, localityOf },
      notify: (line) => void lines.push(line),
    });
    return { path: await client.find(ID, 'executable'), lines };
  }

  test.for(['127.0.0.1', 'localhost'])('is not followed: %s', async (host, { dir }) => {
    const { url, asked } = await serve(sends(BINARY));
    const target = url.replace('127.0.0.1', host);
    const { path, lines } = await follow(target, '127.0.0.2', dir.path);
    expect([path, asked]).toEqual([null, []]);
    expect(lines).toEqual([
      expect.stringMatching(`: a redirection to ${host}, an address more local than the server's$`),
    ]);
    expect((await follow(target, '127.0.0.1', dir.path)).path).not.toBeNull();
  });

  test('is refused also where a server that may be asked leads to', async ({ dir }) => {
    const hidden = await serve(sends(BINARY));
    const first = await serve(status(302, { location: hidden.url }));
    const { path } = await follow(first.url, '127.0.0.2', dir.path);
    expect([path, first.asked, hidden.asked]).toEqual([null, [], []]);
  });
});

describe('a file that no server has', () => {
  test('is not asked for again for ten minutes', async ({ dir }) => {
    const { url, asked } = await serve(status(404));
    const find = () => clientOf(url, dir.path).client.find(ID, 'executable');
    expect([await find(), await find(), asked.length]).toEqual([null, null, 1]);
    for (const [times, seconds] of [-601, 3600].entries()) {
      const other = Date.now() / 1000 + seconds; // long ago, or before the clock was set back
      await utimes(join(dir.path, ID, 'executable'), other, other);
      expect([await find(), asked.length]).toEqual([null, times + 2]);
    }
  });

  test('is asked for again if one of them failed', async ({ dir }) => {
    const [first, second] = [await serve(status(404)), await serve(status(500))];
    await clientOf(`${first.url} ${second.url}`, dir.path).client.find(ID, 'executable');
    await clientOf(`${first.url} ${second.url}`, dir.path).client.find(ID, 'executable');
    expect(first.asked.length).toBe(2);
  });
});

describe('a server that misbehaves leaves nothing behind', () => {
  const cut: RequestListener = (_, response) => {
    response.writeHead(200, { 'content-length': String(BINARY.length) });
    response.write(BINARY.subarray(0, 5000), () => response.destroy());
  };
  const cutWithoutLength: RequestListener = (_, response) => {
    response.writeHead(200, { connection: 'close' });
    response.end(BINARY.subarray(0, BINARY.length - 100));
  };
  const endless: RequestListener = (_, response) => {
    const more = () => void (response.writable && response.write(Buffer.alloc(65536), more));
    more();
  };
  const circle: RequestListener = (request, response) => {
    response.writeHead(302, { location: `http://${request.headers.host}/` }).end();
  };
  const hangs: RequestListener = () => {};
  const hangsLater: RequestListener = (_, response) => void response.writeHead(200).write(BINARY.subarray(0, 5000));
  const garbage: RequestListener = ({ socket }) => void socket.end('HTTP/1.1 200 OK\r\nno header\0\r\n\r\n');
  const manyHeaders: RequestListener = (_, response) => {
    response.writeHead(200, Object.fromEntries(Array.from({ length: 500 }, (_, at) => [`x-${at}`, 'y'.repeat(100)])));
    response.end(BINARY);
  };

  test.for<[string, RequestListener, RegExp]>([
    ['cuts the file', cut, /./],
    ['cuts the file, and had not sent its length', cutWithoutLength, /not a complete binary with this build id/],
    ['sends another build', sends(OTHER_BINARY), /not a complete binary with this build id/],
    ['sends a page', sends(Buffer.from('<html>')), /not a complete binary/],
    ['sends nothing', sends(Buffer.alloc(0)), /not a complete binary/],
    ['sends without end', endless, /larger than 100000 bytes/],
    ['claims to send too much', sends(BINARY, { 'content-length': '999999999' }), /larger than 100000 bytes/],
    ['redirects in a circle', circle, /too many redirections/],
    [
      'redirects to a file',
      status(302, { location: 'file:///etc/passwd' }),
      /a redirection to a URL that is not https/,
    ],
    ['redirects to plain http', status(302, { location: 'http://example.com/' }), /that is not https/],
    ['redirects nowhere', status(302, { location: 'http://[' }), /a redirection to no URL/],
    ['redirects without a target', status(302), /status 302/],
    ['fails', status(500), /status 500/],
    ['hangs', hangs, /it is too slow; not asked again/],
    ['hangs in the middle', hangsLater, /it is too slow; not asked again/],
    ['does not speak http', garbage, /./],
    ['sends too many headers', manyHeaders, /./],
  ])('%s', async ([, answer, line], { dir }) => {
    const { url } = await serve(answer);
    const { client, lines } = clientOf(url, dir.path, { DEBUGINFOD_MAXSIZE: '100000', DEBUGINFOD_TIMEOUT: '0.3' });
    expect(await client.find(ID, 'executable')).toBeNull();
    expect(lines).toEqual([expect.stringMatching(line)]);
    expect(await readdir(join(dir.path, ID))).toEqual([]);
  });
});

test('a server that cannot be reached is asked once', async ({ dir }) => {
  const { url } = await serve(status(404));
  servers[0]?.close();
  const { client, lines } = clientOf(url, dir.path);
  expect(await client.find(ID, 'executable')).toBeNull();
  expect(await client.find(ID.replace('ab', 'cd'), 'executable')).toBeNull();
  expect(lines).toEqual([expect.stringMatching(/not asked again$/)]);
});

test('an interrupt ends a download, and leaves nothing behind', async ({ dir }) => {
  const controller = new AbortController();
  const { url } = await serve((_, response) => {
    response.writeHead(200).write(BINARY.subarray(0, 5000));
    setTimeout(() => controller.abort(new Error('interrupted')), 20);
  });
  const { client } = clientOf(url, dir.path, {}, controller.signal);
  await expect(client.find(ID, 'executable')).rejects.toThrow('interrupted');
  expect(await readdir(join(dir.path, ID))).toEqual([]);
});

test.for(['../../etc', '', 'ABCDEF0123', 'abc', 'zz'.repeat(20)])('%j is not a build id', async (buildId, { dir }) => {
  const { url, asked } = await serve(sends(BINARY));
  expect(await clientOf(url, dir.path).client.find(buildId, 'executable')).toBeNull();
  expect(asked).toEqual([]);
});

test('a cache that cannot be written is reported', async ({ dir }) => {
  const { url } = await serve(sends(BINARY));
  const { client, lines } = clientOf(url, await dir.write('file', 'no directory'));
  expect(await client.find(ID, 'executable')).toBeNull();
  expect(lines).toEqual([expect.stringMatching(/ENOTDIR/)]);
});

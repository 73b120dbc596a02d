/**
 * `ptflame serve`: the page and the calls for the one who has the address, nothing for anyone else; it ends when asked to.
 */
import { once } from 'node:events';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inflateRawSync } from 'node:zlib';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, vi } from 'vitest';
import { startServer } from '../../../cli/serve/server.js';
import { traceSite } from '../../../cli/serve/trace-site.js';
import { readChunk, readFunctionChunk } from '../../../src/codec/page-numbers.js';
import type { IndexedThread } from '../../../src/levels/format.js';
import type { LevelsFile } from '../../../src/levels/read.js';
import type { FunctionIndex } from '../../../src/model/profile/timeline.js';
import { DWARF_PROGRAM, DWARF_TRACE } from '../../helpers/cli/dwarf-trace.js';
import {
  type Directory,
  expectRefusal,
  fixturePath,
  PROGRAM,
  ptflame,
  type Run,
  SIX_LINES,
  startPtflame,
  THREE_THREADS,
  test,
} from '../../helpers/cli/run-cli.js';
import { rootWith } from '../../helpers/cli/symfs.js';

/** Where the secret is by which levels files are recognized: not in the home of who runs the tests. */
let home: string;
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'state-'));
  process.env['XDG_STATE_HOME'] = home;
});
afterAll(() => rm(home, { recursive: true }));

async function imported(dir: Directory, text = THREE_THREADS): Promise<string> {
  const trace = dir.file('t.ptf');
  await ptflame(['import', await dir.write('t.txt', text), '-o', trace]);
  return trace;
}

interface Served {
  readonly address: URL;
  readonly pid: number;
  /** Ends it by Ctrl-C and returns what it printed to standard error. */
  end(): Promise<string>;
}

async function serving(args: readonly string[], env: Record<string, string> = {}): Promise<Served> {
  const running = startPtflame(['serve', ...args], { input: null, env });
  const first = running.stdout && (await Promise.race([once(running.stdout, 'data'), running.then(() => null)]));
  if (first === null) throw new Error((await running).stderr);
  return {
    address: new URL(String(first).trim()),
    pid: running.pid as number,
    async end() {
      running.kill('SIGINT');
      const { exitCode, stderr } = await running;
      expect(exitCode).toBe(0);
      return stderr;
    },
  };
}

/** Returns what it sends as its page, and what it had printed at its end. */
async function pageOf({ address, end }: Served): Promise<{ page: string; stderr: string }> {
  const page = await (await fetch(address)).text();
  return { page, stderr: await end() };
}

/** Sends text as it is and returns the first line of the answer; empty: the connection was closed. */
async function statusOf({ port }: URL, request: string): Promise<string> {
  const socket = connect(Number(port), '127.0.0.1');
  socket.on('error', () => {});
  socket.write(request);
  let answer = '';
  socket.on('data', (data) => {
    answer += data;
    if (answer.includes('\r\n\r\n')) socket.destroy();
  });
  await once(socket, 'close');
  return answer.split('\r\n')[0];
}

describe.concurrent('serve', () => {
  test('sends the page of render, and every call', async ({ dir }) => {
    const trace = await imported(dir);
    const { address, end } = await serving([trace]);
    expect(address.href).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/[\w-]{32}\/$/);
    const page = await fetch(address);
    expect(page.headers.get('content-security-policy')).toContain("connect-src 'self'");
    await ptflame(['render', trace, '-o', dir.file('r.html')]);
    const data = /id="data">[^<]*<\/script>\n<script type="application\/octet-stream" id="timeline">[^<]*</;
    expect(data.exec(await page.text())?.[0]).toBe(data.exec(await dir.read('r.html'))?.[0]);
    const index = (await (await fetch(new URL('calls/101', address))).json()) as IndexedThread;
    const level = index.levels.length - 1;
    const chunk = await fetch(new URL(`calls/101/${level}/0-0`, address));
    const bytes = Buffer.from(await chunk.arrayBuffer());
    expect(readChunk(inflateRawSync(bytes)).node.length).toBe(index.levels[level].calls[0]);
    const threads = (await (await fetch(new URL('calls', address))).json()) as IndexedThread[];
    expect(threads.map(({ tid }) => tid)).toEqual([101, 102, 201]);
    expect(threads[0]).toEqual(index);
    const offline = await fetch(new URL('page', address));
    expect(offline.headers.get('cross-origin-embedder-policy')).toBe('require-corp');
    expect(offline.headers.get('content-security-policy')).toBe("frame-ancestors 'none'");
    await startPtflame(['page', '-o', dir.file('page.html'), '-q']);
    expect(await offline.text()).toBe(await dir.read('page.html'));
    const parts = [`101/functions/0-0`, `102/functions/0-0`, `101/${level}/0-0`];
    const several = Buffer.from(await (await fetch(new URL(`calls/${parts.join()}`, address))).arrayBuffer());
    const [own, other] = threads.map(({ functions }) => functions) as [FunctionIndex, FunctionIndex];
    expect(readFunctionChunk(inflateRawSync(several)).node.length).toBe(own.calls[0]);
    expect(readFunctionChunk(inflateRawSync(several.subarray(own.bytes[0]))).node.length).toBe(other.calls[0]);
    expect(several.subarray(-bytes.length)).toEqual(bytes);
    expect((await fetch(address, { method: 'HEAD' })).headers.get('content-length')).toBe(
      String((await (await fetch(address)).arrayBuffer()).byteLength),
    );
    await end();
  });

  test('sends the offline page if no trace is named, isolated, and nothing else', async ({ dir }) => {
    const { address, end } = await serving([]);
    const response = await fetch(address);
    expect(response.headers.get('cross-origin-opener-policy')).toBe('same-origin');
    expect(response.headers.get('cross-origin-embedder-policy')).toBe('require-corp');
    expect(response.headers.get('content-security-policy')).toBe("frame-ancestors 'none'");
    await startPtflame(['page', '-o', dir.file('page.html'), '-q']);
    expect(await response.text()).toBe(await dir.read('page.html'));
    for (const path of ['calls', 'index.html', '../', '..%2f'])
      expect((await fetch(new URL(path, address))).status, path).toBe(404);
    expect((await fetch(new URL('/', address))).status).toBe(404);
    expect(await end()).toContain('open this address');
    expectRefusal(await ptflame(['serve', '--levels', dir.file('x.levels')]), 2, /none is named/);
  });

  test('refuses everything else', async ({ dir }) => {
    const { address, end } = await serving([await imported(dir)]);
    const { host, port, pathname: path } = address;
    const token = path.slice(1, -1);
    const other = `${token[0] === 'A' ? 'B' : 'A'}${token.slice(1)}`;
    const get = (target: string, more = '', hostLine = `Host: ${host}\r\n`) =>
      statusOf(address, `GET ${target} HTTP/1.1\r\n${hostLine}${more}\r\n`);
    expect(await get(path)).toMatch(/ 200 /);
    expect(await get(path, '', `Host: localhost:${port}\r\n`)).toMatch(/ 200 /);
    expect(await get(path, `Origin: http://${host}\r\nSec-Fetch-Site: same-origin\r\n`)).toMatch(/ 200 /);
    expect(await get(path, 'Sec-Fetch-Site: none\r\n')).toMatch(/ 200 /);
    for (const name of [
      'evil.example',
      `evil.example:${port}`,
      '127.0.0.1',
      `127.0.0.1:1`,
      `127.0.0.1.evil:${port}`,
      '',
    ])
      expect([name, await get(path, '', `Host: ${name}\r\n`)]).toEqual([name, expect.stringMatching(/ 421 /)]);
    expect(await get(path, '', '')).toMatch(/ 400 /);
    expect(await get(path, `Host: ${host}\r\n`)).toMatch(/ (400|421) /);
    expect(await get(path, 'Origin: http://evil.example\r\n')).toMatch(/ 403 /);
    expect(await get(path, 'Origin: null\r\n')).toMatch(/ 403 /);
    for (const site of ['cross-site', 'same-site', 'anything'])
      expect(await get(path, `Sec-Fetch-Site: ${site}\r\n`)).toMatch(/ 403 /);
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH', 'TRACE'])
      expect(await statusOf(address, `${method} ${path} HTTP/1.1\r\nHost: ${host}\r\n\r\n`)).toMatch(/ 405 /);
    expect(await statusOf(address, `CONNECT ${host} HTTP/1.1\r\nHost: ${host}\r\n\r\n`)).not.toMatch(/ 200 /);
    expect(await get(path, 'Content-Length: 3\r\n')).toMatch(/ 413 /);
    expect(await get(path, 'Transfer-Encoding: chunked\r\n')).toMatch(/ 413 /);
    expect(await get(path, 'Expect: 100-continue\r\n')).toMatch(/ 400 /);
    expect(await get(path, 'Connection: Upgrade\r\nUpgrade: websocket\r\n')).toMatch(/ 400 /);
    expect(await get(path, `X: ${'x'.repeat(10_000)}\r\n`)).toMatch(/ 431 /);
    const missing = ['/', '/favicon.ico', `/${token}`, `/${other}/`, `/${token}x/`, `/${token.slice(1)}/`, `/x${path}`];
    const outside = ['../', '..%2f', '/etc/passwd', 't.ptf', 'calls/', 'calls/1', 'calls/-1', 'calls/101/', 'x'];
    const noChunks = [
      '99/0-0',
      '0/1-0',
      '0/0-999999999',
      '0/-1-0',
      'split/5-5',
      '0/0',
      'x/0-0',
      '1e1/0-0',
      'functions/5-5',
      'functions/0-256',
      '0/0-0,',
      '0/0-0,102/0/9-9',
      '0/0-0,../x',
    ];
    const all = [...missing, ...outside.map((at) => path + at), ...noChunks.map((at) => `${path}calls/101/${at}`)];
    for (const target of [...all, `http://evil.example${path}`, '*'])
      expect([target, await get(target)]).toEqual([target, expect.stringMatching(/ 404 /)]);
    const { headers } = await fetch(address, { headers: { Origin: 'http://evil.example' } });
    expect(headers.get('access-control-allow-origin')).toBeNull();
    await end();
  });

  test.for(['SIGINT', 'SIGHUP', 'SIGTERM'] as const)('ends at %s, with its port', async (signal, { dir }) => {
    const running = startPtflame(['serve', await imported(dir)], { input: null });
    const [text] = await once(running.stdout as NodeJS.ReadableStream, 'data');
    const address = new URL(String(text).trim());
    const socket = connect(Number(address.port), '127.0.0.1'); // an open connection does not delay it
    await once(socket, 'connect');
    running.kill(signal);
    expect(await running).toMatchObject({ exitCode: 0 });
    await expect(fetch(address)).rejects.toThrow();
  });

  test('keeps the levels for the next time', async ({ dir }) => {
    const trace = await imported(dir);
    await (await serving([trace])).end();
    const made = await stat(`${trace}.levels`);
    const again = await serving([trace]);
    expect(await again.end()).not.toContain('made again');
    expect((await stat(`${trace}.levels`)).ino).toBe(made.ino);
    expect(await dir.names()).toEqual(['t.ptf', 't.ptf.levels', 't.txt']);
  });

  test('has the lines of source that render has, and keeps them with the levels', async ({ dir }) => {
    const trace = await imported(dir, DWARF_TRACE);
    const symfs = await rootWith(dir, DWARF_PROGRAM, 'gcc-5');
    const args = [trace, '--source', fixturePath('dwarf'), '--symfs', symfs];
    await ptflame(['render', ...args, '-o', dir.file('page.html'), '-q']);
    const sourceIn = (page: string) => /id="source">([^<]*)</.exec(page)?.[1];
    const wanted = sourceIn(await dir.read('page.html'));
    expect(wanted).toContain('hidden');
    for (const _ of [1, 2]) {
      const { page, stderr } = await pageOf(await serving(args));
      expect(sourceIn(page)).toBe(wanted);
      expect(stderr).not.toContain('made again');
    }
    const { page, stderr } = await pageOf(await serving([trace]));
    expect(sourceIn(page)).toBe(undefined);
    expect(stderr).toContain('is of other options');
    expectRefusal(await ptflame(['serve', '--source', dir.path]), 2, /--source shows the source code of a trace/);
  });

  test('makes the same levels with any number of workers', async ({ dir }) => {
    const trace = await imported(dir);
    for (const jobs of ['1', '4']) await (await serving([trace, '-j', jobs, '--levels', dir.file(jobs)])).end();
    expect(await readFile(dir.file('1'))).toEqual(await readFile(dir.file('4')));
  });

  test('makes damaged and old levels again, and says so', async ({ dir }) => {
    const trace = await imported(dir);
    const levels = `${trace}.levels`;
    await (await serving([trace])).end();
    const right = await readFile(levels);
    const flipped = (at: number) => {
      const bytes = Buffer.from(right);
      bytes[at] ^= 1;
      return bytes;
    };
    for (const damaged of [flipped(right.length >> 1), right.subarray(0, -1)]) {
      await dir.write('t.ptf.levels', damaged);
      expect(await (await serving([trace])).end()).toMatch(/t\.ptf\.levels is damaged: made again/);
      expect(await readFile(levels)).toEqual(right);
    }
    await dir.write('t.ptf.levels', flipped(8));
    expect(await (await serving([trace])).end()).toMatch(/another version of ptflame: made again/);
    expect(await (await serving([trace, '--tail-calls', 'replace'])).end()).toMatch(/other options.*: made again/);
  });

  test('neither serves nor overwrites levels of another trace, or of somebody else', async ({ dir }) => {
    const trace = await imported(dir);
    const levels = `${trace}.levels`;
    const right = await pageOf(await serving([trace]));
    const own = await readFile(levels);
    const other = dir.file('other.ptf');
    await ptflame(['import', SIX_LINES, '-o', other]);
    await (await serving([other])).end();
    // as if it were of this trace: anyone can compute what is not keyed
    const ofOther = await readFile(`${other}.levels`);
    const renamed = Buffer.concat([own.subarray(0, 44), ofOther.subarray(44)]);
    for (const foreign of [ofOther, Buffer.concat([own.subarray(0, 12), ofOther.subarray(12)])]) {
      await dir.write('t.ptf.levels', foreign);
      const served = await serving([trace]);
      const names = await dir.names();
      expect(names.filter((name) => name.includes('.ptflame-'))).toHaveLength(1);
      expect(await pageOf(served)).toEqual({
        page: right.page,
        stderr: expect.stringMatching(/is of another trace.*: made again/),
      });
      expect(await readFile(levels)).toEqual(foreign);
      expect(await dir.names()).not.toContainEqual(expect.stringContaining('.ptflame-'));
    }
    await dir.write('t.ptf.levels', renamed);
    expect((await pageOf(await serving([trace]))).page).toBe(right.page);
    await dir.write('t.ptf.levels', own);
    const ofAnother = await pageOf(await serving([trace], { XDG_STATE_HOME: dir.file('another') }));
    expect(ofAnother).toEqual({ page: right.page, stderr: expect.stringMatching(/not made by you.*: made again/) });
    expect(await readFile(levels)).toEqual(own);
    expect((await stat(dir.file('another/ptflame/levels.key'))).mode & 0o777).toBe(0o600);
    expect((await pageOf(await serving([trace]))).stderr).not.toContain('made again');
  });

  test('keeps no levels without a secret of its own', async ({ dir }) => {
    const trace = await imported(dir);
    const served = await serving([trace], { XDG_STATE_HOME: trace });
    expect((await pageOf(served)).stderr).toMatch(/cannot use .*levels\.key: .*temporary file/);
    expect(await dir.names()).toEqual(['t.ptf', 't.txt']);
  });

  test('sends nothing that was written into the levels while they are served', async ({ dir }) => {
    const trace = await imported(dir);
    const { address, end } = await serving([trace]);
    const levels = `${trace}.levels`;
    await writeFile(levels, Buffer.alloc((await stat(levels)).size, '<'));
    for (const path of ['', 'calls/101/functions/0-0'])
      await expect(fetch(new URL(path, address)).then((answer) => answer.arrayBuffer())).rejects.toThrow();
    expect((await fetch(new URL('calls', address))).status).toBe(200);
    expect((await end()).match(/t\.ptf\.levels: .* was changed while it was served/g)).toHaveLength(1);
  });

  test('bounds pipelined requests and slow readers, and ends at once', async ({ dir }) => {
    const { address, pid, end } = await serving([await imported(dir)]);
    const residentKb = async () => Number(/VmRSS:\s+(\d+)/.exec(await readFile(`/proc/${pid}/status`, 'utf8'))?.[1]);
    const get = `GET ${address.pathname} HTTP/1.1\r\nHost: ${address.host}\r\n\r\n`;
    await (await fetch(address)).arrayBuffer();
    const beforeKb = await residentKb();
    const sockets = Array.from({ length: 60 }, () => {
      const socket = connect(Number(address.port), '127.0.0.1').pause();
      socket.on('error', () => {});
      socket.write(get.repeat(2000));
      return socket;
    });
    await Promise.all(sockets.map((socket) => once(socket, 'connect')));
    expect((await fetch(address)).status).toBe(200); // after all that was sent before
    expect((await residentKb()) - beforeKb).toBeLessThan(200_000);
    const from = performance.now();
    await end();
    expect(performance.now() - from).toBeLessThan(20_000); // a guard against waiting for readers
    for (const socket of sockets) socket.destroy();
  });

  test('answers the first of pipelined requests, and closes the connection', async ({ dir }) => {
    const { address, end } = await serving([await imported(dir)]);
    const socket = connect(Number(address.port), '127.0.0.1');
    socket.write(`GET ${address.pathname}calls HTTP/1.1\r\nHost: ${address.host}\r\n\r\n`.repeat(20_000));
    const answers: Buffer[] = [];
    socket.on('data', (data) => answers.push(data)).on('error', () => {});
    await once(socket, 'close');
    expect(
      Buffer.concat(answers)
        .toString()
        .match(/^HTTP\/1\.1 \d+/gm),
    ).toEqual(['HTTP/1.1 200']);
    await end();
  });

  test('does not overwrite another file', async ({ dir }) => {
    const trace = await imported(dir);
    const notes = await dir.write('t.ptf.levels', 'my notes');
    expectRefusal(
      await ptflame(['serve', trace]),
      2,
      /t\.ptf\.levels exists and is not a levels file/,
      /--levels FILE/,
    );
    expect(await readFile(notes, 'utf8')).toBe('my notes');
    expectRefusal(await ptflame(['serve', trace, '--levels', trace]), 2, /is the input itself/);
  });

  test('names the levels file that it cannot write, and leaves nothing', async ({ dir }) => {
    const trace = await imported(dir);
    const limited = ['-c', 'ulimit -f 8; exec "$@"', 'limited', process.execPath, PROGRAM, 'serve', trace];
    const run = await execa('sh', limited, {
      reject: false,
      stripFinalNewline: false,
      env: { NODE_DISABLE_COMPILE_CACHE: '1' },
    });
    expectRefusal(run as Run, 1, /cannot write .*t\.ptf\.levels: .*larger than the limit/, /--levels FILE/);
    expect(await dir.names()).toEqual(['t.ptf', 't.txt']);
  });

  test('refuses other inputs, and a port in use', async ({ dir }) => {
    expectRefusal(await ptflame(['serve', SIX_LINES]), 1, /is not an imported trace/, /ptflame import/);
    expectRefusal(await ptflame(['serve', dir.file('missing')]), 1, /there is no such file/);
    expectRefusal(await ptflame(['serve', dir.path]), 1, /is a directory/);
    const trace = await imported(dir);
    const { address, end } = await serving([trace]);
    const levels = dir.file('other.levels');
    const second = ['serve', trace, '--port', address.port, '--levels', levels, '-q'];
    expectRefusal(await ptflame(second), 1, /cannot listen on port .* in use/);
    await expect(stat(levels)).rejects.toThrow(); // it was reported before they were made
    await end();
  });

  test('has nothing to send until the levels are there', async () => {
    const server = await startServer(0);
    const statusOfPage = async () => (await fetch(`http://127.0.0.1:${server.port}/${server.token}/`)).status;
    expect(await statusOfPage()).toBe(503);
    server.serve(traceSite({ page: { at: 0, bytes: 1 }, read: async () => Buffer.from('x') } as unknown as LevelsFile));
    expect(await statusOfPage()).toBe(200);
    server.close();
  });
});

vi.setConfig({ testTimeout: 60_000 });

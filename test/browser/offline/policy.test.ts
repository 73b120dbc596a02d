/**
 * The offline page and its engine cannot reach anything: whatever their code tries, a server that listens sees nothing.
 */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { inflateRawSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { windows } from '../../helpers/browser/browser.js';
import { drop, openOfflinePage, pageText, shown } from '../../helpers/browser/offline-page.js';
import { fixturePath } from '../../helpers/cli/run-cli.js';

const browser = windows('html');
// what is refused is written to the console, and counts as a request; the server says that it was none
const complaining = windows('html');
afterAll(() => {
  complaining.complaints.splice(0);
  complaining.requests.splice(0);
});

const seen: string[] = [];
let server: Server;
let address: string;
beforeAll(async () => {
  server = createServer((request, response) => {
    seen.push(request.url ?? '');
    response.end('1');
  });
  server.on('upgrade', (request, socket) => {
    seen.push(request.url ?? '');
    socket.destroy();
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

/** Ways to reach a server; each says whether it was refused. Also for workers, which have fewer. */
const ATTEMPTS = `
const settled = (promise) => promise.then(() => 'reached', () => 'refused');
const attempts = {
  fetch: (to) => settled(fetch(to)),
  XMLHttpRequest: (to) => new Promise((done) => {
    const request = new XMLHttpRequest();
    request.onload = () => done('reached');
    request.onerror = () => done('refused');
    try { request.open('GET', to); request.send(); } catch { done('refused'); }
  }),
  WebSocket: (to) => new Promise((done) => {
    try {
      const socket = new WebSocket(to.replace('http', 'ws'));
      socket.onopen = () => done('reached');
      socket.onerror = () => done('refused');
    } catch { done('refused'); }
  }),
  EventSource: (to) => new Promise((done) => {
    const source = new EventSource(to);
    source.onopen = () => done('reached');
    source.onerror = () => { source.close(); done('refused'); };
  }),
  // in a task of its own: a debugger may evaluate anything
  eval: () => new Promise((done) => setTimeout(() => { try { done((0, eval)('"reached"')); } catch { done('refused'); } })),
  ...(typeof document === 'undefined'
    ? {
        importScripts: (to) => { try { importScripts(to); return 'reached'; } catch { return 'refused'; } },
        import: (to) => settled(import(to)),
      }
    : {
        beacon: (to) => { navigator.sendBeacon(to); return 'refused'; },
        image: (to) => new Promise((done) => {
          const image = new Image();
          image.onload = () => done('reached');
          image.onerror = () => done('refused');
          image.src = to;
        }),
        'inline script': () => {
          const script = document.createElement('script');
          script.textContent = 'globalThis.wasRun = true';
          document.body.append(script);
          return globalThis.wasRun ? 'reached' : 'refused';
        },
        'script of a server': (to) => new Promise((done) => {
          const script = document.createElement('script');
          script.onload = () => done('reached');
          script.onerror = () => done('refused');
          script.src = to;
          document.body.append(script);
        }),
        frame: (to) => new Promise((done) => {
          const frame = document.createElement('iframe');
          frame.src = to;
          document.body.append(frame);
          setTimeout(() => done('refused'), 300);
        }),
        form: (to) => new Promise((done) => {
          const form = document.createElement('form');
          Object.assign(form, { action: to, method: 'post', target: '_self' });
          document.body.append(form);
          try { form.submit(); } catch {} // as in Firefox
          setTimeout(() => done('refused'), 300);
        }),
      }),
};
`;

const RUN = `Promise.all(Object.entries(attempts).map(async ([name, attempt]) => [name, await attempt(to + '/' + name)]))`;

test('neither the page nor what it shows', async () => {
  const page = await openOfflinePage(complaining);
  await drop(page, fixturePath('lab/demo-cre.txt'));
  expect(await shown(page)).toBe('report');
  const results = (await page.evaluate(
    `(async (to) => { ${ATTEMPTS} return ${RUN}; })(${JSON.stringify(address)})`,
  )) as [string, string][];
  expect(results.filter(([, result]) => result !== 'refused')).toEqual([]);
  expect(results.length).toBe(11);
  expect(seen).toEqual([]);
});

test('nor its workers', async () => {
  const page = await openOfflinePage(complaining);
  const code = `onmessage = async ({ data: to }) => { ${ATTEMPTS} postMessage(await ${RUN}); };`;
  const results = (await page.evaluate(
    async ([source, to]) => {
      const worker = new Worker(URL.createObjectURL(new Blob([source as string], { type: 'text/javascript' })));
      return new Promise((done) => {
        worker.onmessage = ({ data }) => done(data);
        worker.postMessage(to);
      });
    },
    [code, address],
  )) as [string, string][];
  expect(results.filter(([, result]) => result !== 'refused')).toEqual([]);
  expect(results.map(([name]) => name)).toContain('importScripts');
  expect(seen).toEqual([]);
});

test('the server would have seen it', async () => {
  await fetch(`${address}/control`);
  expect(seen.splice(0)).toEqual(['/control']);
});

test('its policy names what it may do, and its size stays below a megabyte', async () => {
  const [, policy = ''] = /Content-Security-Policy" content="([^"]*)"/.exec(pageText()) ?? [];
  expect(policy.replaceAll(/'sha256-[^']+'/g, 'HASH').split('; ')).toEqual([
    "default-src 'none'",
    "script-src HASH HASH 'wasm-unsafe-eval'",
    'style-src HASH',
    'worker-src blob:',
    "connect-src 'none'",
    "base-uri 'none'",
    "form-action 'none'",
  ]);
  expect(Buffer.byteLength(pageText())).toBeLessThan(1_000_000);
  await openOfflinePage(browser);
});

/** Returns a script that the page has deflated. */
function scriptOf(id: 'engine' | 'script'): string {
  const [, packed = ''] = new RegExp(`id="${id}">([^<]+)<`).exec(pageText()) ?? [];
  return inflateRawSync(Buffer.from(packed, 'base64')).toString();
}

test.each(['engine', 'script'] as const)('its %s is ASCII: browsers keep others with two bytes a character', (id) => {
  expect(/^[\0-\x7f]+$/.test(scriptOf(id))).toBe(true);
});

test('its engine has no function around all of it, which browsers would read twice; workers run only their own code', async () => {
  const engine = scriptOf('engine');
  expect(engine.slice(0, 200)).not.toMatch(/\((?:\(\)=>|function\(\))\{/);
  const page = await openOfflinePage(browser);
  const hasSchemas = (name: string) =>
    page.evaluate(
      async ([code, name]) => {
        const said = `${code};setTimeout(() => postMessage('__zod_globalRegistry' in globalThis))`;
        const worker = new Worker(URL.createObjectURL(new Blob([said], { type: 'text/javascript' })), { name });
        const { data } = await new Promise<MessageEvent>((done, failed) => {
          worker.onmessage = done;
          worker.onerror = ({ message }) => failed(new Error(message));
        });
        worker.terminate();
        return data;
      },
      [engine, name] as const,
    );
  expect(await hasSchemas('engine')).toBe(true);
  expect(await hasSchemas('worker 1')).toBe(false);
});

/**
 * Makes the files of a hosted copy of the offline page: it may read packs of its own origin, and is isolated, so that its
 * workers share memory.
 */

/** The page that other pages may open to hand recordings over. It is not isolated: isolation cuts it off from its opener. */
export const OPENED = 'open.html';

/** Headers with which a page's workers share memory. */
export const ISOLATION = {
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Embedder-Policy': 'require-corp',
} as const;
const EVERYWHERE = { 'X-Content-Type-Options': 'nosniff', 'Referrer-Policy': 'no-referrer' } as const;

/** Next to the page, where a host sets no headers. */
export const ISOLATING_WORKER = 'isolate.js';

/** Returns the files by their names. `page`: as `offlinePage` makes it. */
export function hostedFiles(page: string): ReadonlyMap<string, string> {
  const hosted = hostedPage(page);
  return new Map([
    ['index.html', hosted],
    [OPENED, hosted],
    [ISOLATING_WORKER, isolatingWorker()],
    ['_headers', headersFile()],
  ]);
}

/** Only the head and the first element differ. */
function hostedPage(page: string): string {
  const begins = page.indexOf('<script type=');
  const head = page
    .slice(0, begins)
    .replace("connect-src 'none'", "connect-src 'self'")
    .replace('worker-src blob:', "worker-src blob: 'self'")
    .replace('<main id="app">', '<main id="app" data-hosted>');
  return head + page.slice(begins);
}

/** As Netlify, Cloudflare Pages and others read it. */
function headersFile(): string {
  const lines = (path: string, headers: Readonly<Record<string, string>>) =>
    [path, ...Object.entries(headers).map(([name, value]) => `  ${name}: ${value}`)].join('\n');
  const isolated = ['/', '/index.html', `/${ISOLATING_WORKER}`].map((path) => lines(path, ISOLATION));
  return `${[lines('/*', EVERYWHERE), ...isolated].join('\n')}\n`;
}

/** A service worker that adds the headers. Only pages are its business. */
function isolatingWorker(): string {
  return `// Isolates the page where the host sets no headers, so that its workers share memory.
const HEADERS = ${JSON.stringify(ISOLATION)};
addEventListener('install', () => skipWaiting());
addEventListener('activate', (event) => event.waitUntil(clients.claim()));
addEventListener('fetch', (event) => {
  const { mode, url } = event.request;
  if (mode === 'navigate' && !new URL(url).pathname.endsWith('/${OPENED}')) event.respondWith(isolated(event.request));
});
async function isolated(request) {
  const response = await fetch(request);
  if (response.type === 'opaqueredirect') return response;
  const { status, statusText, body } = response;
  const headers = new Headers(response.headers);
  for (const [name, value] of Object.entries(HEADERS)) headers.set(name, value);
  return new Response(body, { status, statusText, headers });
}
`;
}

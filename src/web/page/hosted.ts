/**
 * What a hosted copy does besides: it opens a pack of its own origin that its address names, and recordings that the page
 * that opened it hands over, after a question.
 */
import { htmlElement as html } from '../../render/viewer/dom.js';
import { button } from '../../render/viewer/search-field.js';
import { visibleText } from '../../render/visible-text.js';
import { ISOLATING_WORKER, OPENED } from '../hosted.js';
import type { EngineProgress, Failure } from '../messages.js';

export const isHosted = document.getElementById('app')?.dataset['hosted'] !== undefined;

/** Takes `pack=…` out of the address; the rest of it says how the report is shown. */
export function takePackAddress(): string | null {
  const given = new URLSearchParams(location.hash.slice(1)).get('pack');
  if (given === null) return null;
  const rest = location.hash
    .slice(1)
    .split('&')
    .filter((part) => !part.startsWith('pack='));
  history.replaceState(null, '', rest.length > 0 ? `#${rest.join('&')}` : location.pathname);
  return given;
}

/** Why a pack is not opened. */
export class Refusal extends Error {
  readonly failure: Failure;

  constructor(message: string, hint: string) {
    super(message);
    this.failure = { code: 'INPUT_UNREADABLE', message, hint, output: [] };
  }
}

/** @throws Refusal unless it is at the origin of this page, without a detour */
export async function fetchPack(
  address: string,
  tell: (progress: EngineProgress) => void,
  signal: AbortSignal,
): Promise<File> {
  const shown = visibleText(address.slice(0, MAX_SHOWN));
  const url = URL.canParse(address, location.href) ? new URL(address, location.href) : null;
  if (url === null || !/^https?:$/.test(url.protocol) || url.origin !== location.origin)
    throw new Refusal(
      `${shown} is not at ${location.origin}`,
      'Save it, and drop it here: this page reads packs of its own origin alone.',
    );
  const unreadable = (why: string) =>
    new Refusal(`cannot read ${shown}: ${why}`, 'Check the address, or drop the pack here.');
  const response = await fetch(url, { redirect: 'error', signal }).catch((error: unknown) => {
    signal.throwIfAborted();
    throw unreadable(String((error as Error).message));
  });
  if (!response.ok || response.body === null) throw unreadable(`the server says ${response.status}`);
  const parts: Blob[] = [];
  const of = Number(response.headers.get('content-length')) || null;
  const reader = response.body.getReader();
  // whoever can abort keeps the reader: Chromium may forget a stream that nothing else refers to
  signal.addEventListener('abort', () => void reader.cancel().catch(() => {}));
  for (let done = 0; ; ) {
    const piece = await reader.read();
    if (piece.done) break;
    parts.push(new Blob([piece.value as Uint8Array<ArrayBuffer>]));
    done += piece.value.length;
    tell({ phase: 'fetch', done, of });
  }
  return new File(parts, url.pathname.slice(url.pathname.lastIndexOf('/') + 1) || 'trace.pack');
}

const MAX_SHOWN = 200;
/** A recording with its binaries and notes. */
const MAX_FILES = 1000;

/**
 * As Perfetto: the opener sends 'PING' until it hears 'PONG', then `{ ptflame: { files: [{ name, content }] } }`. Only the
 * opener is heard, and who is refused is not heard again.
 */
export function listenForHandOver(open: (files: readonly File[]) => void): void {
  const { opener } = window as { opener: Window | null };
  if (opener === null) return;
  let isHeard = true;
  addEventListener('message', ({ source, origin, data }) => {
    if (source !== opener || !isHeard) return;
    if (data === 'PING') return opener.postMessage('PONG', origin === 'null' ? '*' : origin);
    const files = handedOver(data);
    if (files === null) return;
    isHeard = false; // until there is an answer
    ask(origin, files, (isAccepted) => {
      isHeard = isAccepted;
      if (isAccepted) open(files);
    });
  });
}

/** Returns null for anything but files. */
function handedOver(data: unknown): File[] | null {
  const files = (data as { ptflame?: { files?: unknown } } | null)?.ptflame?.files;
  if (!Array.isArray(files) || files.length === 0 || files.length > MAX_FILES) return null;
  const made = files.map((file: { name?: unknown; content?: unknown } | null) => {
    const { name, content } = file ?? {};
    const isContent = content instanceof ArrayBuffer || content instanceof Blob;
    return typeof name === 'string' && isContent ? new File([content], name.slice(0, MAX_SHOWN)) : null;
  });
  return made.includes(null) ? null : (made as File[]);
}

function ask(origin: string, files: readonly File[], answer: (isAccepted: boolean) => void): void {
  const [first, ...others] = files.map(({ name }) => visibleText(name));
  const names = others.length === 0 ? first : `${first} and ${others.length} more`;
  const end = (isAccepted: boolean) => {
    dialog.remove();
    answer(isAccepted);
  };
  const yes = button('Open it', '', () => end(true));
  yes.classList.add('main');
  const dialog = html(
    'dialog',
    { class: 'ask', 'aria-labelledby': 'hand-over-title' },
    html('h2', { id: 'hand-over-title' }, `Open ${names}?`),
    html(
      'p',
      {},
      `${origin === 'null' ? 'A page without an address' : origin} hands it over. It learns nothing of what you see here.`,
    ),
    html(
      'div',
      { class: 'group' },
      yes,
      button('Refuse', '', () => end(false)),
    ),
  );
  for (const made of dialog.querySelectorAll('button')) made.removeAttribute('title');
  dialog.addEventListener('cancel', () => end(false));
  document.documentElement.append(dialog); // the body is replaced with each screen
  dialog.showModal();
}

/** Where the host sets no headers, a service worker does; the page is loaded again, unless something is shown by then. */
export function isolate(isIdle: () => boolean): void {
  const { serviceWorker } = navigator;
  const isTried = serviceWorker === undefined || serviceWorker.controller !== null;
  if (crossOriginIsolated || isTried || location.pathname.endsWith(`/${OPENED}`)) return;
  serviceWorker.addEventListener('controllerchange', () => {
    if (isIdle()) location.reload();
  });
  serviceWorker.register(ISOLATING_WORKER).catch(() => {}); // it works without, too
}

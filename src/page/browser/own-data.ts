/**
 * Starts the page of a file with the data in it.
 */

import { htmlElement as html } from '../../render/viewer/dom.js';
import type { PageRequests } from '../data/requests.js';
import type { PageSource } from '../data/source.js';
import { start } from './main.js';
import { restoreTheme } from './platform/canvas.js';
import { decodeBlocked, decodeData, decodeTimeline } from './platform/decode.js';

const textOf = (id: string) => document.getElementById(id)?.textContent ?? null;

/** Returns null if the page has none. */
function jsonOf<Value>(id: string): Value | null {
  return JSON.parse(textOf(id) ?? 'null');
}

async function startWithOwnData(app: HTMLElement): Promise<void> {
  restoreTheme();
  const data = await decodeData(textOf('data') ?? '');
  const [timeline, blocked] = [textOf('timeline'), textOf('blocked')];
  await start(app, {
    data,
    timeline: timeline === null ? null : () => decodeTimeline(timeline),
    blocked: blocked === null ? null : () => decodeBlocked(blocked, data),
    requests: jsonOf<PageRequests>('requests'),
    source: jsonOf<PageSource>('source'),
  });
}

/** Says so where data is damaged: what was read before is shown. */
const app = document.getElementById('app') as HTMLElement;
startWithOwnData(app).catch((error: Error) => {
  const text = `This file is damaged: ${error.message}. Copy it again, or write it with ptflame render.`;
  app.prepend(html('div', { class: 'notice', role: 'alert' }, html('span', { title: text }, text)));
});

/**
 * Starts the page of a file with the data in it.
 */

import { htmlElement as html } from '../../render/viewer/dom.js';
import type { PageRequests } from '../data/requests.js';
import { start } from './main.js';
import { restoreTheme } from './platform/canvas.js';
import { decodeData, decodeTimeline } from './platform/decode.js';

const textOf = (id: string) => document.getElementById(id)?.textContent ?? null;

async function startWithOwnData(app: HTMLElement): Promise<void> {
  restoreTheme();
  const data = await decodeData(textOf('data') ?? '');
  const [timeline, requests] = [textOf('timeline'), textOf('requests')];
  await start(app, {
    data,
    timeline: timeline === null ? null : () => decodeTimeline(timeline),
    requests: requests === null ? null : (JSON.parse(requests) as PageRequests),
  });
}

/** Says so where data is damaged: what was read before is shown. */
const app = document.getElementById('app') as HTMLElement;
startWithOwnData(app).catch((error: Error) => {
  const text = `This file is damaged: ${error.message}. Copy it again, or write it with ptflame render.`;
  app.prepend(html('div', { class: 'notice', role: 'alert' }, html('span', { title: text }, text)));
});

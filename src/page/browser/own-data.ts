/**
 * Starts the page of a file with the data in it.
 */
import type { PageRequests } from '../data/requests.js';
import { start } from './main.js';
import { restoreTheme } from './platform/canvas.js';
import { decodeData, decodeTimeline } from './platform/decode.js';

const textOf = (id: string) => document.getElementById(id)?.textContent ?? null;

async function startWithOwnData(): Promise<void> {
  restoreTheme();
  const data = await decodeData(textOf('data') ?? '');
  const [timeline, requests] = [textOf('timeline'), textOf('requests')];
  await start(document.getElementById('app') as HTMLElement, {
    data,
    timeline: timeline === null ? null : () => decodeTimeline(timeline),
    requests: requests === null ? null : (JSON.parse(requests) as PageRequests),
  });
}

void startWithOwnData();

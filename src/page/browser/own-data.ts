/**
 * Starts the page of a file with the data in it.
 */
import { start } from './main.js';
import { restoreTheme } from './platform/canvas.js';
import { decodeData, decodeTimeline } from './platform/decode.js';

const textOf = (id: string) => document.getElementById(id)?.textContent ?? null;

async function startWithOwnData(): Promise<void> {
  restoreTheme();
  const data = await decodeData(textOf('data') ?? '');
  const timeline = textOf('timeline');
  await start(document.getElementById('app') as HTMLElement, {
    data,
    timeline: timeline === null ? null : () => decodeTimeline(timeline),
  });
}

void startWithOwnData();

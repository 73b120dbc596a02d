/**
 * Starts the page.
 */
import { parseHash, START } from '../view/state.js';
import { Views } from '../view/views.js';
import { App } from './app.js';
import { decodeData, decodeTimeline } from './platform/decode.js';
import { measureScrollbar } from './platform/measure.js';
import { restoreTheme } from './platform/theme.js';

async function start(): Promise<void> {
  restoreTheme();
  measureScrollbar();
  const container = document.getElementById('app') as HTMLElement;
  const data = await decodeData(document.getElementById('data')?.textContent ?? '');
  const timeline = document.getElementById('timeline')?.textContent;
  const views = new Views(data);
  const { state: initial } = parseHash(container.dataset['start'] ?? '', views.linkNames, START);
  const app = new App(views, container, initial);
  if (timeline == null) return app.draw();
  if (!app.needsTimeline) {
    app.draw();
    await afterPainting();
  }
  app.addTimeline(await decodeTimeline(timeline));
  while (views.prepareRanges()) await new Promise((done) => setTimeout(done)); // so that the first range is as fast
}

/** Painting happens between the first and the second animation frame. */
function afterPainting(): Promise<void> {
  return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done))));
}

void start();

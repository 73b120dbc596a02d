/**
 * Starts the page.
 */
import { parseHash, START } from '../view/state.js';
import { Views } from '../view/views.js';
import { App } from './app.js';
import { decodeData } from './platform/decode.js';
import { measureScrollbar } from './platform/measure.js';
import { restoreTheme } from './platform/theme.js';

async function start(): Promise<void> {
  restoreTheme();
  measureScrollbar();
  const container = document.getElementById('app') as HTMLElement;
  const data = await decodeData(document.getElementById('data')?.textContent ?? '');
  const initial = parseHash(container.dataset['start'] ?? '', data.symbols.length, START);
  new App(new Views(data), container, initial).draw();
}

void start();

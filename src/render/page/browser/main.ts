/**
 * Begins as the page opens.
 */
import { parseHash, START } from '../view/state.js';
import { Views } from '../view/views.js';
import { App } from './app.js';
import { decodeData } from './platform/decode.js';
import { measureScrollbar } from './platform/measure.js';
import { restoreTheme } from './platform/theme.js';

async function begin(): Promise<void> {
  restoreTheme();
  measureScrollbar();
  const place = document.getElementById('app') as HTMLElement;
  const data = await decodeData(document.getElementById('data')?.textContent ?? '');
  const start = parseHash(place.dataset['start'] ?? '', data.symbols.length, START);
  new App(new Views(data), place, start).draw();
}

void begin();

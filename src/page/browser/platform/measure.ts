/**
 * Measures the width of a character and of a scrollbar in the browser.
 */

import { CHARACTER_PX } from '../../../render/frames/drawing.js';
import { htmlElement as html } from '../../../render/viewer/dom.js';

const SAMPLE = 'x'.repeat(100);

export function measureCharacterPx(): number {
  const probe = html('span', { class: 'd3-flame-graph-label probe' }, SAMPLE);
  document.body.append(probe);
  const px = probe.getBoundingClientRect().width / SAMPLE.length;
  probe.remove();
  return px > 0 ? px : CHARACTER_PX;
}

/** Sets the CSS variable `--scrollbar` to the width that a graph reserves for its scrollbar. */
export function measureScrollbar(): void {
  const probe = html('div', { class: 'graph probe' });
  document.body.append(probe);
  const widthPx = probe.offsetWidth - probe.clientWidth;
  probe.remove();
  document.documentElement.style.setProperty('--scrollbar', `${widthPx}px`);
}

/**
 * How wide a character is in frames.
 */
import { htmlElement as html } from '../../browser/dom.js';
import { CHARACTER_PX } from '../../frames/drawing.js';

const SAMPLE = 'x'.repeat(100);

export function measureCharacterPx(): number {
  const probe = html('span', { class: 'd3-flame-graph-label probe' }, SAMPLE);
  document.body.append(probe);
  const px = probe.getBoundingClientRect().width / SAMPLE.length;
  probe.remove();
  return px > 0 ? px : CHARACTER_PX;
}

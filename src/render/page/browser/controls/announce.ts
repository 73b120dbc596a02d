/**
 * Something was done that cannot be seen: read aloud, and shown for a moment.
 */
import { htmlElement as html } from '../../../viewer/dom.js';

const SHOWN_MS = 2500;

export function announce(text: string): void {
  const place = html('div', { class: 'toast', role: 'status' }, text);
  document.body.append(place);
  setTimeout(() => place.remove(), SHOWN_MS);
}

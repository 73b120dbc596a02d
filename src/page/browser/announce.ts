/**
 * Shows a short status message and announces it to screen readers.
 */
import { htmlElement as html } from '../../render/viewer/dom.js';

const SHOWN_MS = 2500;

export function announce(text: string): void {
  const toast = html('div', { class: 'toast', role: 'status' }, text);
  document.body.append(toast);
  setTimeout(() => toast.remove(), SHOWN_MS);
}

/**
 * Saves files and copies text to the clipboard.
 */
import { htmlElement as html } from '../../../render/viewer/dom.js';

export function saveText(name: string, type: string, pieces: Iterable<string>): void {
  saveBlob(name, new Blob([...pieces], { type }));
}

export function saveBlob(name: string, content: Blob): void {
  const url = URL.createObjectURL(content);
  html('a', { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

/** Copies text; pages opened as files may not use the clipboard API, so falls back to `execCommand`. */
export async function copyText(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = html('textarea', { 'aria-hidden': 'true' }, text);
    document.body.append(area);
    area.select();
    document.execCommand('copy');
    area.remove();
  }
}

const SHOWN_MS = 2500;
const SHOWN_MS_PER_CHARACTER = 60;

/** Shows a short status message and announces it to screen readers. */
export function announce(text: string): void {
  const toast = html('div', { class: 'toast', role: 'status' }, text);
  document.body.append(toast);
  setTimeout(() => toast.remove(), Math.max(SHOWN_MS, SHOWN_MS_PER_CHARACTER * text.length));
}

/**
 * Isolates right-to-left names within left-to-right text.
 */

import { visibleText } from '../visible-text.js';

/** Hebrew, Arabic and other right-to-left scripts. */
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

/** "First strong isolate" and "pop directional isolate", escaped: the script must not contain bidi controls. */
const [OPEN = '', CLOSE = ''] = JSON.parse('"\\u2068\\u2069"') as string;

/** Isolates a name for display; otherwise numbers and dots next to it would be reordered with it. Not for text to copy. */
export function isolated(name: string): string {
  return RIGHT_TO_LEFT.test(name) ? `${OPEN}${name}${CLOSE}` : name;
}

/** Applies `visibleText`, but keeps the isolates around names. */
export function visibleWithIsolates(text: string): string {
  const parts = text.split(/\u2068([^\u2066-\u2069]*)\u2069/);
  return parts.map((part, at) => (at % 2 === 0 ? visibleText(part) : isolated(visibleText(part)))).join('');
}

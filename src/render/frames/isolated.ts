/**
 * Names that are written from right to left, in the midst of words that are not.
 */

import { visibleText } from '../visible-text.js';

/** Hebrew, Arabic and what is written as they are. */
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

/** "First strong isolate" and "pop isolate": not written as they are, for the script stands in files where nothing may act. */
const [OPEN = '', CLOSE = ''] = JSON.parse('"\\u2068\\u2069"') as string;

/** What stands beside the name stays where it is: numbers and dots would else become part of it. For showing, not for copying. */
export function isolated(name: string): string {
  return RIGHT_TO_LEFT.test(name) ? `${OPEN}${name}${CLOSE}` : name;
}

/** `visibleText` of words among which names are isolated: whatever else would act is shown. */
export function visibleWithIsolates(text: string): string {
  const parts = text.split(/\u2068([^\u2066-\u2069]*)\u2069/);
  return parts.map((part, at) => (at % 2 === 0 ? visibleText(part) : isolated(visibleText(part)))).join('');
}

/**
 * Escapes JSON so that it can be printed on a terminal; parsing it gives the same value.
 */

// JSON itself escapes only the lower control characters. Terminals also act on the upper ones and on those that change
// the writing direction; all of them are a single UTF-16 unit.
const CONTROLS = /[\x7f-\x9f\u2028\u2029\p{Bidi_Control}]/gu;

/** Returns equivalent JSON: such characters occur only in strings, where an escape means the same. */
export function safeJson(json: string): string {
  return json.replace(CONTROLS, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/**
 * JSON whose text may be shown on a terminal: whoever reads it gets back what was written.
 */

// JSON itself escapes the lower control characters only. Terminals obey the upper ones, too, and those that turn the direction of
// writing; none of them is more than one unit of UTF-16.
const ACTING = /[\x7f-\x9f\u2028\u2029\p{Bidi_Control}]/gu;

/** The same JSON: such characters stand in texts only, where an escape means the same. */
export function safeJson(json: string): string {
  return json.replace(ACTING, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/**
 * Isolates right-to-left names within left-to-right text.
 */

/** Hebrew, Arabic and other right-to-left scripts. */
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

/** "First strong isolate" and "pop directional isolate", escaped: the script must not contain bidi controls. */
const [OPEN = '', CLOSE = ''] = JSON.parse('"\\u2068\\u2069"') as string;

/** Isolates a name for display; otherwise numbers and dots next to it would be reordered with it. Not for text to copy. */
export function isolated(name: string): string {
  return RIGHT_TO_LEFT.test(name) ? `${OPEN}${name}${CLOSE}` : name;
}

/** Printable ASCII and the signs of our numbers, as nearly all lines are. */
const PLAIN = /^[ -~µ–≥≈…×]*$/;

/** Applies `visibleText`, but keeps the isolates around names. */
export function visibleWithIsolates(text: string): string {
  if (PLAIN.test(text)) return text;
  const parts = text.split(/\u2068([^\u2066-\u2069]*)\u2069/);
  return parts.map((part, at) => (at % 2 === 0 ? visibleText(part) : isolated(visibleText(part)))).join('');
}

// Control characters, bidi controls, lone surrogates and noncharacters: a name must not move the cursor, hide itself, or break the
// file that contains it.
const UNSAFE_CHARACTERS = /[\p{Cc}\p{Cs}\p{Bidi_Control}\p{Noncharacter_Code_Point}\u2028\u2029]/gu;

/**
 * Makes untrusted text safe to show on a terminal, in a picture, or in a command to copy.
 *
 * Escapes unsafe characters: an escape character becomes "\x1b".
 */
export function visibleText(text: string): string {
  return text.replace(UNSAFE_CHARACTERS, (character) => {
    const hex = (character.codePointAt(0) as number).toString(16);
    if (hex.length <= 2) return `\\x${hex.padStart(2, '0')}`;
    return hex.length <= 4 ? `\\u${hex.padStart(4, '0')}` : `\\u{${hex}}`;
  });
}

/** As the first word, `name=value` would be an assignment. */
const NEEDS_NO_QUOTES = /^(?![A-Za-z_]\w*=)[\w@%+=:,./-]+$/;

/**
 * Quotes arguments for a shell: for commands to copy, never for commands that ptflame runs.
 *
 * `["perf", "a b"]` → `perf 'a b'`
 */
export function shellWords(words: readonly string[]): string {
  return words.map(shellWord).join(' ');
}

function shellWord(word: string): string {
  if (NEEDS_NO_QUOTES.test(word)) return word;
  if (visibleText(word) === word) return `'${word.replaceAll("'", "'\\''")}'`;
  const [, text = '', newlines = ''] = /^(.*?)(\n*)$/s.exec(word) as RegExpExecArray;
  const format = text.replace(/[\\%]/g, '$&$&').replaceAll("'", "'\\''").replace(UNSAFE_CHARACTERS, bytesInShell);
  return `"$(printf -- '${format}')${newlines}"`; // exact in any shell, which removes newlines at the end of what runs
}

function bytesInShell(character: string): string {
  return [...new TextEncoder().encode(character)].map((byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('');
}

/**
 * Turns the name that the linker sees into the one that perf prints, for all languages.
 */
import { demangleItanium } from './itanium.js';
import { demangleRustV0 } from './rust.js';

/** Returns null if the name is not mangled. */
export function demangle(name: string): string | null {
  if (!name.startsWith('_')) return demangleOcaml(name);
  return demangleRustV0(name) ?? demangleRustLegacy(name) ?? demangleItanium(name);
}

const OCAML = /^caml[A-Z]/;

/**
 * Demangles OCaml: `camlStdlib__array__map_154` → `Stdlib.array.map_154`.
 *
 * Returns null if it is not an OCaml name.
 */
function demangleOcaml(mangled: string): string | null {
  if (!OCAML.test(mangled)) return null;
  return mangled.slice('caml'.length).replace(/__|\$([0-9a-f]{2})/gi, (_, code?: string) => {
    return code === undefined ? '.' : String.fromCharCode(Number.parseInt(code, 16));
  });
}

const LEGACY = /^_?_?ZN(.*)17h([0-9a-f]{16})E(?:\.[\w.$:@]*)?$/s;
/** With fewer different digits it is not a hash. */
const MIN_DIGITS = 5;

const ESCAPES: Readonly<Record<string, string>> = {
  SP: '@',
  BP: '*',
  RF: '&',
  LT: '<',
  GT: '>',
  LP: '(',
  RP: ')',
  C: ',',
};

/**
 * Demangles Rust's legacy names, which look like C++ and end in a hash, which is dropped.
 *
 * Returns null if it is not such a name.
 */
function demangleRustLegacy(mangled: string): string | null {
  if (!mangled.includes('17h')) return null; // most names have none, and this is faster
  const [, path, hash] = LEGACY.exec(mangled) ?? [];
  if (path === undefined || hash === undefined || new Set(hash).size < MIN_DIGITS) return null;
  const parts = partsOf(path);
  return parts === null || parts.length === 0 ? null : parts.map(unescaped).join('::');
}

function partsOf(path: string): string[] | null {
  const parts: string[] = [];
  for (let at = 0; at < path.length; ) {
    const [digits] = /^[1-9][0-9]{0,8}/.exec(path.slice(at, at + 9)) ?? [''];
    const start = at + digits.length;
    at = start + Number(digits);
    if (digits === '' || at > path.length) return null;
    parts.push(path.slice(start, at));
  }
  return parts;
}

const NEXT = /\$([^$]*)\$|\$|\.\./g;

/** `$LT$` is `<`, `$u7e$` is `~`, `..` is `::`; the text from an unknown escape on is left unchanged. */
function unescaped(part: string): string {
  const text = part.startsWith('_$') ? part.slice(1) : part;
  let done = '';
  let at = 0;
  for (const match of text.matchAll(NEXT)) {
    const [all, letters] = match;
    const character = all === '..' ? '::' : characterOf(letters ?? '');
    if (character === undefined) break;
    done += text.slice(at, match.index) + character;
    at = match.index + all.length;
  }
  return done + text.slice(at);
}

function characterOf(letters: string): string | undefined {
  const [, code] = /^u([0-9a-f]{1,6})$/.exec(letters) ?? [];
  if (code === undefined) return ESCAPES[letters];
  const number = Number.parseInt(code, 16);
  return number >= 0x20 && number < 0x7f ? String.fromCharCode(number) : undefined;
}

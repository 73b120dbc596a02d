/**
 * Parses what `record` shall trace beyond calls: waits and probes.
 */
import * as z from 'zod';

/** Without a value: the events that cost least. */
export const waits = z.string().transform((text, context) => {
  if (text === '' || text === 'full') return text === '' ? ('some' as const) : text;
  context.addIssue({ code: 'custom', message: 'must be full, or have no value' });
  return z.NEVER;
});

/** A probe at an instruction of a program. */
export interface Probe {
  readonly name: string;
  readonly file: string;
  /** As typed: "Queue::push+4 job=%di". */
  readonly definition: string;
  /** "Queue::push"; with "@", a position in the language of `perf probe`. */
  readonly symbol: string;
  /** From the beginning of the function, in bytes. */
  readonly offset: number;
  /** `returns`: each return instruction. */
  readonly at: 'offset' | 'return' | 'returns';
  /** In the language of `perf probe`: " job=%di"; with the blank before them. */
  readonly args: string;
}

/** "push=./server:queue_push job=%di", repeated → probes. */
export const probes = z.array(z.string()).transform((texts, context) => {
  const found = texts.map(parseProbe);
  const names = found.map((probe) => probe?.name);
  const wrong = texts[found.indexOf(null)];
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (wrong === undefined && twice === undefined) return found.filter((probe) => probe !== null);
  const message =
    wrong === undefined
      ? `must have different names: ${twice}`
      : `must be NAME=FILE:SYMBOL[+OFFSET] ARGUMENTS or NAME=FILE:SYMBOL%returns ARGUMENTS, such as 'push=./server:queue_push job=%di': ${wrong}`;
  context.addIssue({ code: 'custom', message });
  return z.NEVER;
});

const NAMED = /^([A-Za-z_]\w{0,39})=(.+)$/;
/** Colons that separate a file from a symbol, not `::`. */
const SEPARATOR = /(?<=[^\s:]):(?=[^\s:])/g;

/** The file ends at the first colon that a symbol follows. */
function parseProbe(text: string): Probe | null {
  const [, name = '', rest = ''] = NAMED.exec(text) ?? [];
  if (!/^\S/.test(rest)) return null;
  for (const { index } of rest.matchAll(SEPARATOR)) {
    const definition = rest.slice(index + 1);
    const bytes = symbolLength(definition);
    if (bytes === 0) continue;
    const position = definition.slice(0, bytes);
    const [, symbol = position, offset = '0', returns] = POSITION.exec(position) ?? [];
    return {
      ...{ name, file: rest.slice(0, index), definition, symbol, offset: Number(offset) },
      at: returns === 'return' || returns === 'returns' ? returns : 'offset',
      args: definition.slice(bytes),
    };
  }
  return null;
}

/** A name, and what follows it: "+0x10", "%return" or "%returns". */
const POSITION = /^([^@]*?)(?:\+(0x[0-9a-fA-F]+|\d+))?(?:%(returns?))?$/;
/** Of C++, where brackets and signs are part of a name. */
const OPERATOR =
  /operator *(?:\(\)|\[\]|<=>|->\*?|<<=?|>>=?|&&|\|\||\+\+|--|[-+*/%^&|<>=!]=?|[~,]|(?:new|delete)\b(?:\[\])?)|operator"" *\w+/y;
const FIRST = /[\p{L}_.$~<({]/u;

/** Returns the length of the position, up to a blank that is not within brackets: "push(Job*, int) const"; 0: it is none. */
function symbolLength(text: string): number {
  let depth = 0;
  let at = 0;
  if (!FIRST.test(text[0] ?? '')) return 0;
  while (at < text.length) {
    OPERATOR.lastIndex = at;
    const operator = /\w/.test(text[at - 1] ?? '') ? null : OPERATOR.exec(text);
    if (operator !== null) {
      at += operator[0].length;
      continue;
    }
    const character = text[at] as string;
    if ('(<[{'.includes(character)) depth++;
    else if (')>]}'.includes(character)) depth--;
    else if (text.startsWith('::', at)) at++;
    else if (depth === 0 && /[\s:;=]/.test(character)) break;
    at++;
  }
  const [suffix = ''] = /^(?: (?:const|volatile|&&?)(?=\s|$))+/.exec(text.slice(at)) ?? [];
  at += text[at - 1] === ')' ? suffix.length : 0;
  const isEnd = at === text.length || text[at] === ' ' || text[at] === '\t';
  return depth === 0 && isEnd ? at : 0;
}

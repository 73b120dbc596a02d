/**
 * The source of a regular expression → its program: what may come next, from step to step.
 *
 * The syntax is JavaScript's, in any case of letters and by whole characters, without lookaround and backreferences: what is left
 * can be matched in time that grows with the text alone (`pattern-run.ts`). What a single character may be (`a`, `.`, `[^0-9]`, `\p{L}`)
 * is asked of the browser's own regular expressions, which cannot backtrack over one character.
 */

/** One step of the program; steps are known by their place in it. */
export interface Step {
  /** One character; else the step needs none. */
  readonly atom?: string;
  /** Only between two characters that fit: `^`, `$`, `\b` or `\B`. */
  readonly edge?: string;
  /** What may come behind it, any of these; none: the end. */
  readonly next: readonly number[];
}

export interface Program {
  readonly steps: readonly Step[];
  readonly start: number;
}

const NOT_A_REGEX = 'no regular expression';
const UNSUPPORTED = 'no lookaround or backreferences';
const TOO_LONG = 'too long an expression';
/** Why there is none. */
export type PatternProblem = typeof NOT_A_REGEX | typeof UNSUPPORTED | typeof TOO_LONG;

const MAX_CHARACTERS = 1000;
/** Of a program, and of what it takes to write one: `(x{99}){99}` is short as a text. */
const MAX_STEPS = 2000;

/** Writes the steps of a part, from the last to the first, as `next` comes behind it; gives the one that it begins with. */
type Part = (next: number) => number;

export function compilePattern(source: string): Program | PatternProblem {
  if (source.length > MAX_CHARACTERS) return TOO_LONG;
  if (toRegExp(source) === null) return NOT_A_REGEX;
  const steps: Step[] = [{ next: [] }];
  try {
    return { steps, start: parsePattern(source, steps)(0) };
  } catch (thrown) {
    if (typeof thrown === 'string') return thrown as PatternProblem;
    throw thrown;
  }
}

/** The newer syntax, which knows `\p`, refuses needless backslashes. */
export function toRegExp(source: string): RegExp | null {
  for (const flags of ['iu', 'i']) {
    try {
      return new RegExp(source, flags);
    } catch {}
  }
  return null;
}

const GROUP = /\((?:\?:|\?<(?![=!])[^>]*>|(?!\?))/y;
const QUANTIFIER = /(?:([*+?])|\{(\d+)(,(\d*))?\})\??/y;
const EDGE = /[\^$]|\\[bB]/y;
const LOOKAROUND_OR_BACKREFERENCE = /\\[1-9k]|\(/y;
const ATOM = /\[(?:\\.|[^\]\\])*\]|\\(?:u\{[\da-f]+\}|u[\da-f]{4}|x[\da-f]{2}|p\{[^}]*\}|c[a-z]|.)|[^\\]/isuy;

/** A text that is known to be a regular expression. Throws why there is no program of it. */
function parsePattern(source: string, steps: Step[]): Part {
  let at = 0;
  let written = 0;

  const take = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    const found = pattern.exec(source);
    if (found) at += found[0].length;
    return found;
  };
  const add = (step: Step): number => steps.push(step) - 1;
  const write = (part: Part, next: number): number => {
    if (++written > MAX_STEPS) throw TOO_LONG;
    return part(next);
  };

  /** Branches, up to the end of the group. */
  const branches = (): Part => {
    const all = [branch()];
    while (source[at] === '|') {
      at++;
      all.push(branch());
    }
    return all.length === 1 ? (all[0] as Part) : (next) => add({ next: all.map((part) => write(part, next)) });
  };
  const branch = (): Part => {
    const parts: Part[] = [];
    while (at < source.length && !'|)'.includes(source[at] as string)) parts.push(repeated());
    return (next) => parts.reduceRight((behind, part) => write(part, behind), next);
  };
  const repeated = (): Part => {
    const part = single();
    const found = take(QUANTIFIER);
    if (!found) return part;
    const [, sign, count, comma, bound] = found;
    const least = sign ? Number(sign === '+') : Number(count);
    const most =
      sign === '?' ? 1 : sign || (comma && !bound) ? Number.POSITIVE_INFINITY : Number(comma ? bound : count);
    return (next) => repeat(part, least, most, next);
  };
  const single = (): Part => {
    const edge = take(EDGE)?.[0];
    if (edge) return (next) => add({ edge, next: [next] });
    if (take(GROUP)) {
      const inside = branches();
      at++; // its end
      return inside;
    }
    if (take(LOOKAROUND_OR_BACKREFERENCE)) throw UNSUPPORTED;
    const atom = take(ATOM)?.[0];
    if (!atom) throw NOT_A_REGEX;
    return (next) => add({ atom, next: [next] });
  };
  const repeat = (part: Part, least: number, most: number, next: number): number => {
    let start = next;
    if (most === Number.POSITIVE_INFINITY) {
      const again = [next];
      start = add({ next: again });
      again.push(write(part, start));
    } else for (let time = least; time < most; time++) start = add({ next: [next, write(part, start)] });
    for (let time = 0; time < least; time++) start = write(part, start);
    return start;
  };

  return branches();
}

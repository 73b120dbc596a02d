/**
 * Compiles a regular expression to a program: steps, each with its possible next steps.
 *
 * The syntax is JavaScript's with the flags `i` and `u`, without lookaround and backreferences, so that it can be matched in time
 * linear in the text (`pattern-run.ts`). Atoms of a single character (`a`, `.`, `[^0-9]`, `\p{L}`) are tested with the browser's
 * own regular expressions, which cannot backtrack over one character.
 */

/** One step of the program, identified by its index. */
export interface Step {
  /** Pattern of the character that the step consumes; absent: it consumes none. */
  readonly atom?: string;
  /** Assertion on the characters before and after: `^`, `$`, `\b` or `\B`. */
  readonly edge?: string;
  /** Indexes of the possible next steps; empty: the pattern has matched. */
  readonly next: readonly number[];
}

export interface Program {
  readonly steps: readonly Step[];
  readonly start: number;
}

const NOT_A_REGEX = 'not a regular expression';
const UNSUPPORTED = 'no lookaround or backreferences';
const TOO_LONG = 'expression too long';
/** Why a search text has no program. */
export type PatternProblem = typeof NOT_A_REGEX | typeof UNSUPPORTED | typeof TOO_LONG;

const MAX_CHARACTERS = 1000;
/** Limit for emitting a program: `(x{99}){99}` is short as text. */
const MAX_STEPS = 2000;

/** Emits the steps of a part, the last one first, to be followed by `next`. Returns the first step. */
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

/** Parses with the `u` flag, which supports `\p`; without it if that rejects needless backslashes. */
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

/** Parses a valid regular expression. Throws a `PatternProblem`. */
function parsePattern(source: string, steps: Step[]): Part {
  let at = 0;
  let emitted = 0;

  const accept = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    const found = pattern.exec(source);
    if (found) at += found[0].length;
    return found;
  };
  const add = (step: Step): number => steps.push(step) - 1;
  const emit = (part: Part, next: number): number => {
    if (++emitted > MAX_STEPS) throw TOO_LONG;
    return part(next);
  };

  /** Parses alternatives up to the end of the group. */
  const branches = (): Part => {
    const all = [branch()];
    while (source[at] === '|') {
      at++;
      all.push(branch());
    }
    return all.length === 1 ? (all[0] as Part) : (next) => add({ next: all.map((part) => emit(part, next)) });
  };
  const branch = (): Part => {
    const parts: Part[] = [];
    while (at < source.length && !'|)'.includes(source[at] as string)) parts.push(repeated());
    return (next) => parts.reduceRight((following, part) => emit(part, following), next);
  };
  const repeated = (): Part => {
    const part = single();
    const found = accept(QUANTIFIER);
    if (!found) return part;
    const [, sign, count, comma, bound] = found;
    const min = sign ? Number(sign === '+') : Number(count);
    const max = sign === '?' ? 1 : sign || (comma && !bound) ? Number.POSITIVE_INFINITY : Number(comma ? bound : count);
    return (next) => repeat(part, min, max, next);
  };
  const single = (): Part => {
    const edge = accept(EDGE)?.[0];
    if (edge) return (next) => add({ edge, next: [next] });
    if (accept(GROUP)) {
      const inside = branches();
      at++; // the closing parenthesis
      return inside;
    }
    if (accept(LOOKAROUND_OR_BACKREFERENCE)) throw UNSUPPORTED;
    const atom = accept(ATOM)?.[0];
    if (!atom) throw NOT_A_REGEX;
    return (next) => add({ atom, next: [next] });
  };
  const repeat = (part: Part, min: number, max: number, next: number): number => {
    let start = next;
    if (max === Number.POSITIVE_INFINITY) {
      const again = [next];
      start = add({ next: again });
      again.push(emit(part, start));
    } else for (let time = min; time < max; time++) start = add({ next: [next, emit(part, start)] });
    for (let time = 0; time < min; time++) start = emit(part, start);
    return start;
  };

  return branches();
}

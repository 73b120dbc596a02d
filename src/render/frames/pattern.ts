/**
 * The source of a regular expression → its program: what may come next, from step to step.
 *
 * The syntax is JavaScript's, in any case of letters and by whole characters, without lookaround and backreferences: what is left
 * can be matched in time that grows with the text alone (`pattern-run.ts`). What a single character may be (`a`, `.`, `[^0-9]`, `\p{L}`)
 * is asked of the browser's own regular expressions, which cannot backtrack over one character.
 */

export const StepKind = { Atom: 0, Either: 1, Edge: 2, End: 3 } as const;

/** One step of the program; steps are known by their place in it. */
export type Step =
  /** One character. */
  | { readonly kind: typeof StepKind.Atom; readonly source: string; readonly next: number }
  /** Any of these, without a character. */
  | { readonly kind: typeof StepKind.Either; readonly next: number[] }
  /** Between two characters: `^`, `$`, `\b` or `\B`. */
  | { readonly kind: typeof StepKind.Edge; readonly source: string; readonly next: number }
  | { readonly kind: typeof StepKind.End };

export interface Program {
  readonly steps: readonly Step[];
  readonly start: number;
}

const NONE = 'no regular expression';
const LOOKS_BACK = 'no lookaround or backreferences';
const TOO_LONG = 'too long an expression';
/** Why there is none. */
export type NoProgram = typeof NONE | typeof LOOKS_BACK | typeof TOO_LONG;

const MOST_CHARACTERS = 1000;
/** Of a program, and of what it takes to write one: `(x{99}){99}` is short as a text. */
const MOST_STEPS = 2000;

type Part =
  | { readonly kind: 'atom' | 'edge'; readonly source: string }
  | { readonly kind: 'all' | 'any'; readonly parts: readonly Part[] }
  | { readonly kind: 'repeat'; readonly part: Part; readonly least: number; readonly most: number };

/** Thrown within this file alone. */
class Refusal {
  readonly why: NoProgram;

  constructor(why: NoProgram) {
    this.why = why;
  }
}

export function programOf(source: string): Program | NoProgram {
  if (source.length > MOST_CHARACTERS) return TOO_LONG;
  if (expressionOf(source) === null) return NONE;
  try {
    return new Writer().program(new Reader(source).read());
  } catch (thrown) {
    if (thrown instanceof Refusal) return thrown.why;
    throw thrown;
  }
}

/** The newer syntax, which knows `\p`, refuses needless backslashes. */
export function expressionOf(source: string): RegExp | null {
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
const BACKREFERENCE = /\\[1-9k]/y;
const ATOM = /\[(?:\\.|[^\]\\])*\]|\\(?:u\{[\da-f]+\}|u[\da-f]{4}|x[\da-f]{2}|p\{[^}]*\}|c[a-z]|.)|[^\\]/isuy;

/** A text that is known to be a regular expression → its parts. */
class Reader {
  private readonly source: string;
  private at = 0;

  constructor(source: string) {
    this.source = source;
  }

  /** Branches, up to the end of the group. */
  read(): Part {
    const branches: Part[] = [];
    do branches.push(this.branch());
    while (this.takes('|'));
    return branches.length === 1 ? (branches[0] as Part) : { kind: 'any', parts: branches };
  }

  private branch(): Part {
    const parts: Part[] = [];
    while (this.at < this.source.length && !'|)'.includes(this.source[this.at] as string)) parts.push(this.repeated());
    return { kind: 'all', parts };
  }

  private repeated(): Part {
    const part = this.single();
    const [found, sign, least, comma, most] = this.take(QUANTIFIER) ?? [];
    if (found === undefined) return part;
    if (sign !== undefined)
      return { kind: 'repeat', part, least: sign === '+' ? 1 : 0, most: sign === '?' ? 1 : Number.POSITIVE_INFINITY };
    const bound = comma === undefined ? Number(least) : most === '' ? Number.POSITIVE_INFINITY : Number(most);
    return { kind: 'repeat', part, least: Number(least), most: bound };
  }

  private single(): Part {
    if (this.take(BACKREFERENCE)) throw new Refusal(LOOKS_BACK);
    const [edge] = this.take(EDGE) ?? [];
    if (edge !== undefined) return { kind: 'edge', source: edge };
    if (this.take(GROUP)) {
      const inside = this.read();
      this.takes(')');
      return inside;
    }
    if (this.source[this.at] === '(') throw new Refusal(LOOKS_BACK);
    const [source] = this.take(ATOM) ?? [];
    if (source === undefined) throw new Refusal(NONE);
    return { kind: 'atom', source };
  }

  private takes(character: string): boolean {
    if (this.source[this.at] !== character) return false;
    this.at++;
    return true;
  }

  private take(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.source);
    if (found) this.at += found[0].length;
    return found;
  }
}

/** Parts → steps, from the last to the first: each is told what comes behind it. */
class Writer {
  private readonly steps: Step[] = [{ kind: StepKind.End }];
  private written = 0;

  program(part: Part): Program {
    const start = this.write(part, 0);
    return { steps: this.steps, start };
  }

  /** Gives the step that the part begins with. */
  private write(part: Part, next: number): number {
    if (++this.written > MOST_STEPS) throw new Refusal(TOO_LONG);
    switch (part.kind) {
      case 'atom':
        return this.add({ kind: StepKind.Atom, source: part.source, next });
      case 'edge':
        return this.add({ kind: StepKind.Edge, source: part.source, next });
      case 'all':
        return part.parts.reduceRight((behind, each) => this.write(each, behind), next);
      case 'any':
        return this.add({ kind: StepKind.Either, next: part.parts.map((each) => this.write(each, next)) });
      case 'repeat':
        return this.repeat(part.part, part.least, part.most, next);
    }
  }

  private repeat(part: Part, least: number, most: number, next: number): number {
    let start = next;
    if (most === Number.POSITIVE_INFINITY) {
      const again: number[] = [next];
      start = this.add({ kind: StepKind.Either, next: again });
      again.push(this.write(part, start));
    } else
      for (let time = least; time < most; time++)
        start = this.add({ kind: StepKind.Either, next: [next, this.write(part, start)] });
    for (let time = 0; time < least; time++) start = this.write(part, start);
    return start;
  }

  private add(step: Step): number {
    return this.steps.push(step) - 1;
  }
}

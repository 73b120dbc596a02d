/**
 * Finds the frames that match a search, and their share of the time.
 */

import { NONE, type NodeId } from '../model/units.js';
import { formatCount, formatMany, formatShare } from './format.js';
import { type FrameTable, subtreeEnd, subtreeSums } from './frames/frame-table.js';
import { type Boxes, BoxKind } from './layout.js';

/**
 * Compiles a regular expression to a program: steps, each with its possible next steps.
 *
 * The syntax is JavaScript's with the flags `i` and `u`, without lookaround and backreferences, so that it can be matched in time
 * linear in the text (`pattern-run.ts`). Atoms of a single character (`a`, `.`, `[^0-9]`, `\p{L}`) are tested with the browser's
 * own regular expressions, which cannot backtrack over one character.
 *
 * One step of the program, identified by its index.
 */
interface Step {
  /** Pattern of the character that the step consumes; absent: it consumes none. */
  readonly atom?: string;
  /** Assertion on the characters before and after: `^`, `$`, `\b` or `\B`. */
  readonly edge?: string;
  /** Indexes of the possible next steps; empty: the pattern has matched. */
  readonly next: readonly number[];
}

interface Program {
  readonly steps: readonly Step[];
  readonly start: number;
}

const NOT_A_REGEX = 'not a regular expression';
const UNSUPPORTED = 'no lookaround or backreferences';
const TOO_LONG = 'expression too long';
/** Why a search text has no program. */
type PatternProblem = typeof NOT_A_REGEX | typeof UNSUPPORTED | typeof TOO_LONG;

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
function toRegExp(source: string): RegExp | null {
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

export interface FoundFrames {
  readonly isMatch: Float64Array; // 1 or 0
  /** Number of matches in the subtree. */
  readonly matches: Float64Array;
}

/** The names that match a search. */
export interface NameMatches {
  /** By name; null if the search is empty or invalid. */
  readonly isMatch: readonly boolean[] | null;
  /** Why the search is invalid; empty if it is valid. */
  readonly problem: string;
}

/** Matches text, ignoring case, or a regular expression between slashes. The time is bounded for any pattern (`pattern-run.ts`). */
export function matchNames(names: readonly string[], search: string): NameMatches {
  if (search === '') return { isMatch: null, problem: '' };
  const [, source] = /^\/(.+)\/$/.exec(search) ?? [];
  if (source === undefined) {
    const wanted = search.toLowerCase();
    return { isMatch: names.map((name) => name.toLowerCase().includes(wanted)), problem: '' };
  }
  const program = compilePattern(source);
  if (typeof program === 'string') return { isMatch: null, problem: program };
  const run = new PatternRun(program);
  const isMatch = names.map((name) => run.test(name));
  return run.work > MAX_WORK ? { isMatch: null, problem: 'expression too complex' } : { isMatch, problem: '' };
}

/** Finds the matching frames; those without width are excluded. */
export function findFrames({ tree, total }: FrameTable, isMatchingName: readonly boolean[]): FoundFrames {
  const isMatch = new Float64Array(tree.length);
  for (let node = 0; node < tree.length; node++)
    if (isMatchingName[tree.symbol[node]] && total[node] > 0) isMatch[node] = 1; // the root has no name
  return { isMatch, matches: subtreeSums(tree, isMatch) };
}

/** Whether a box matches; a block does if any frame in it does. */
export function isBoxFound(
  { nextSibling }: FrameTable,
  { isMatch, matches }: FoundFrames,
  boxes: Boxes,
  box: number,
): boolean {
  const { kind, node, lastNode } = boxes;
  if (kind[box] === BoxKind.Frame) return isMatch[node[box]] === 1;
  for (let at = node[box]; at !== NONE; at = at === lastNode[box] ? NONE : nextSibling[at])
    if (matches[at] > 0) return true;
  return false;
}

export interface FoundShare {
  readonly frames: number;
  /** Weight of the matches and their subtrees; nested matches count once. */
  readonly weight: number;
  /** Weight of frames that are not in the file and so cannot be searched. */
  readonly unknownWeight: number;
}

/** Returns the share of matches in siblings and their subtrees. */
export function foundShare(table: FrameTable, { isMatch }: FoundFrames, first: NodeId, last: NodeId): FoundShare {
  const { total, parent, omitted } = table;
  const isCovered = new Uint8Array(table.tree.length);
  const share = { frames: 0, weight: 0, unknownWeight: 0 };
  const end = subtreeEnd(table, last);
  for (let node = first; node < end; node++) {
    const isBelow = parent[node] !== NONE && isCovered[parent[node]] === 1; // callers of the siblings are not covered
    share.frames += isMatch[node];
    if (!isBelow && isMatch[node]) share.weight += total[node];
    if (!isBelow && omitted[node] > 0) share.unknownWeight += total[node];
    isCovered[node] = isBelow || isMatch[node] ? 1 : 0;
  }
  return share;
}

/**
 * Returns "12 frames, 34 % of view", "12 frames, 3 in view, 34 % of view" or "5 of 12, 34 % of view".
 *
 * `viewTotal`: weight of what fills the width. `all`: number of all matches. `rank`: the current match, from 1; null if none.
 */
export function foundText(share: FoundShare, viewTotal: number, all: number, rank: number | null = null): string {
  const { frames, weight, unknownWeight } = share;
  const count = rank === null ? [formatMany(all, 'frame')] : [`${formatCount(rank)} of ${formatCount(all)}`];
  const inView = frames === all || rank !== null ? [] : [`${formatCount(frames)} in view`];
  return [...count, ...inView, `${unknownWeight > 0 ? '≥ ' : ''}${formatShare(weight, viewTotal)} of view`].join(', ');
}

/** The steps that are active after a character, before steps without a character are followed. */
interface DfaState {
  readonly steps: readonly number[];
  readonly before: string;
  /** By character; '' is the end of the text. true: the pattern matches. */
  readonly next: Map<string, DfaState | boolean>;
}

/**
 * Tests whether a regular expression matches anywhere in a text, in time linear in the text.
 *
 * The program runs as a nondeterministic automaton without backtracking: each character is read once. Sets of steps become states of
 * a deterministic automaton, built on demand, so a character costs one map lookup.
 *
 * Limit of steps followed to build new states; a search beyond it fails.
 */
export const MAX_WORK = 1_000_000;

export class PatternRun {
  /** Steps followed so far; results are meaningless once this exceeds `MAX_WORK`. */
  work = 0;
  private readonly states = new Map<string, DfaState>();
  private readonly atoms: readonly ((character: string) => boolean)[];

  constructor(private readonly program: Program) {
    this.atoms = program.steps.map(({ atom }) => characterTest(`^${atom}$`));
  }

  /** Whether the pattern matches anywhere in the text. */
  test(text: string): boolean {
    let state: DfaState | boolean = this.stateFor([this.program.start], '');
    for (const character of text) {
      state = state.next.get(character) ?? this.follow(state, character);
      if (typeof state === 'boolean') return state;
    }
    return (state.next.get('') ?? this.follow(state, '')) === true;
  }

  /** Returns the next state. A match may also start after each character. */
  private follow(state: DfaState, character: string): DfaState | boolean {
    const { steps, start } = this.program;
    const seen = new Set(state.steps);
    const following = new Set([start]);
    let isFound = false;
    for (const at of seen) {
      const { atom, edge, next } = steps[at] as Program['steps'][number];
      isFound ||= ++this.work > MAX_WORK || next.length === 0;
      if (isFound) break;
      if (atom !== undefined) {
        if (character !== '' && this.atoms[at]?.(character)) following.add(next[0] as number);
      } else if (edge === undefined || isEdge(edge, state.before, character)) for (const each of next) seen.add(each);
    }
    const reached =
      isFound ||
      (character !== '' &&
        this.stateFor(
          [...following].sort((a, b) => a - b),
          character,
        ));
    state.next.set(character, reached);
    return reached;
  }

  /** Returns the state for a set of steps. Of the character before it, only its kind matters. */
  private stateFor(steps: readonly number[], character: string): DfaState {
    const before = character && (isWord(character) ? 'a' : ' ');
    const key = `${before}:${steps}`;
    let state = this.states.get(key);
    if (state === undefined) this.states.set(key, (state = { steps, before, next: new Map() }));
    return state;
  }
}

/** Returns a test for single characters that caches its results. */
function characterTest(source: string): (character: string) => boolean {
  const expression = toRegExp(source);
  const known = new Map<string, boolean>();
  return (character) => {
    const isMatch = known.get(character) ?? expression?.test(character) ?? false;
    known.set(character, isMatch);
    return isMatch;
  };
}

const isWord = characterTest('^\\w$');

/** Whether an assertion holds between two characters; '' is the start or end of the text. */
function isEdge(edge: string, before: string, after: string): boolean {
  if (edge === '^') return before === '';
  if (edge === '$') return after === '';
  const isBoundary = isWord(before) !== isWord(after);
  return isBoundary === (edge === '\\b');
}

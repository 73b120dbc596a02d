/**
 * Finds the frames that match a search, and their share of the time.
 */

import { NONE, type NodeId } from '../model/units.js';
import { formatCount, formatMany, formatShare } from './format.js';
import { type FrameTable, subtreeEnd, subtreeSums } from './frames/frame-table.js';
import { type Boxes, BoxKind } from './layout.js';
import { compilePattern, type Program, toRegExp } from './pattern.js';

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
  private readonly program: Program;
  private readonly states = new Map<string, DfaState>();
  private readonly atoms: readonly ((character: string) => boolean)[];

  constructor(program: Program) {
    this.program = program;
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

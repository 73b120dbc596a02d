/**
 * Tests whether a regular expression matches anywhere in a text, in time linear in the text.
 *
 * The program runs as a nondeterministic automaton without backtracking: each character is read once. Sets of steps become states of
 * a deterministic automaton, built on demand, so a character costs one map lookup.
 */
import { type Program, toRegExp } from './pattern.js';

/** The steps that are active after a character, before steps without a character are followed. */
interface DfaState {
  readonly steps: readonly number[];
  readonly before: string;
  /** By character; '' is the end of the text. true: the pattern matches. */
  readonly next: Map<string, DfaState | boolean>;
}

/** Limit of steps followed to build new states; a search beyond it fails. */
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

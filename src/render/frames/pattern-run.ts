/**
 * The program of a regular expression, run over texts: it is somewhere in them, or it is not.
 *
 * All ways through the program are followed at once, so nothing is tried again: each character is looked at one time. What the ways
 * are at and where a character leads from there is kept, so a character costs as much as looking that up.
 */
import { type Program, toRegExp } from './pattern.js';

/** Where all ways are, before what needs no character is followed. */
interface DfaState {
  readonly steps: readonly number[];
  readonly before: string;
  /** By character, '': the end of the text. true: the expression is found. */
  readonly next: Map<string, DfaState | boolean>;
}

/** What a search may take before it is given up: the steps of new places, not those that were followed before. */
export const MAX_WORK = 1_000_000;

export class PatternRun {
  /** The steps that were followed so far; beyond `MOST_WORK` nothing is looked for any more, and answers mean nothing. */
  work = 0;
  private readonly program: Program;
  private readonly states = new Map<string, DfaState>();
  private readonly atoms: readonly ((character: string) => boolean)[];

  constructor(program: Program) {
    this.program = program;
    this.atoms = program.steps.map(({ atom }) => characterTest(`^${atom}$`));
  }

  /** The expression is somewhere in the text. */
  test(text: string): boolean {
    let place: DfaState | boolean = this.stateFor([this.program.start], '');
    for (const character of text) {
      place = place.next.get(character) ?? this.follow(place, character);
      if (typeof place === 'boolean') return place;
    }
    return (place.next.get('') ?? this.follow(place, '')) === true;
  }

  /** It may begin behind each character, too. */
  private follow(place: DfaState, character: string): DfaState | boolean {
    const { steps, start } = this.program;
    const seen = new Set(place.steps);
    const behind = new Set([start]);
    let isFound = false;
    for (const at of seen) {
      const { atom, edge, next } = steps[at] as Program['steps'][number];
      isFound ||= ++this.work > MAX_WORK || next.length === 0;
      if (isFound) break;
      if (atom !== undefined) {
        if (character !== '' && this.atoms[at]?.(character)) behind.add(next[0] as number);
      } else if (edge === undefined || isEdge(edge, place.before, character)) for (const each of next) seen.add(each);
    }
    const reached =
      isFound ||
      (character !== '' &&
        this.stateFor(
          [...behind].sort((a, b) => a - b),
          character,
        ));
    place.next.set(character, reached);
    return reached;
  }

  /** Of what stands before it, nothing more than its kind is asked. */
  private stateFor(steps: readonly number[], character: string): DfaState {
    const before = character && (isWord(character) ? 'a' : ' ');
    const key = `${before}:${steps}`;
    let place = this.states.get(key);
    if (place === undefined) this.states.set(key, (place = { steps, before, next: new Map() }));
    return place;
  }
}

/** Whether a character is one of those, each asked once. */
function characterTest(source: string): (character: string) => boolean {
  const expression = toRegExp(source);
  const known = new Map<string, boolean>();
  return (character) => {
    const isIt = known.get(character) ?? expression?.test(character) ?? false;
    known.set(character, isIt);
    return isIt;
  };
}

const isWord = characterTest('^\\w$');

/** '': nothing stands there. */
function isEdge(edge: string, before: string, after: string): boolean {
  if (edge === '^') return before === '';
  if (edge === '$') return after === '';
  const isBorder = isWord(before) !== isWord(after);
  return isBorder === (edge === '\\b');
}

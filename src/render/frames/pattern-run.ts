/**
 * The program of a regular expression, run over texts: it is somewhere in them, or it is not.
 *
 * All ways through the program are followed at once, so nothing is tried again: each character is looked at one time. What the ways
 * are at and where a character leads from there is kept, so a character costs as much as looking that up.
 */
import { expressionOf, type Program, type Step, StepKind } from './pattern.js';

/** What stands before or behind a place between two characters. */
const Side = { Nothing: 0, Word: 1, Other: 2 } as const;
type Side = (typeof Side)[keyof typeof Side];

/** Where all ways are, before what needs no character is followed. */
interface Place {
  readonly steps: readonly number[];
  readonly before: Side;
  /** By character; '': the end of the text. */
  readonly next: Map<string, Place | boolean>;
}

/** What a search may take before it is given up: the steps of new places, not those that were followed before. */
export const MOST_WORK = 1_000_000;

export class PatternRun {
  private readonly program: Program;
  private readonly places = new Map<string, Place>();
  private readonly first: Place;
  private readonly atoms: readonly (Atom | null)[];
  /** The steps that were followed so far; beyond `MOST_WORK` nothing is looked for any more, and answers mean nothing. */
  work = 0;

  constructor(program: Program) {
    this.program = program;
    this.atoms = program.steps.map((step) => (step.kind === StepKind.Atom ? new Atom(step.source) : null));
    this.first = this.placeOf([program.start], Side.Nothing);
  }

  /** The expression is somewhere in the text. */
  test(text: string): boolean {
    let place = this.first;
    for (const character of text) {
      const next = place.next.get(character) ?? this.follow(place, character);
      if (next === true) return true;
      place = next as Place;
    }
    return (place.next.get('') ?? this.follow(place, '')) === true;
  }

  /** true: it is found. It may begin behind each character, too. */
  private follow(place: Place, character: string): Place | boolean {
    const after = sideOf(character);
    const reached = this.withoutCharacters(place, after);
    const next = reached === null || (character !== '' && this.placeBehind(reached, character, after));
    place.next.set(character, next);
    return next;
  }

  private placeBehind(reached: readonly number[], character: string, before: Side): Place {
    const { program, atoms } = this;
    const steps = new Set([program.start]);
    for (const at of reached)
      if ((atoms[at] as Atom).is(character)) steps.add((program.steps[at] as Step & { next: number }).next);
    return this.placeOf(
      [...steps].sort((a, b) => a - b),
      before,
    );
  }

  private placeOf(steps: readonly number[], before: Side): Place {
    const key = `${before}:${steps.join()}`;
    let place = this.places.get(key);
    if (place === undefined) this.places.set(key, (place = { steps, before, next: new Map() }));
    return place;
  }

  /** The atoms that are reached; null: the end of the program is, or nothing is looked for. */
  private withoutCharacters({ steps, before }: Place, after: Side): number[] | null {
    const seen = new Set(steps);
    const reached: number[] = [];
    for (const at of seen) {
      if (++this.work > MOST_WORK) return null;
      const step = this.program.steps[at] as Step;
      if (step.kind === StepKind.End) return null;
      if (step.kind === StepKind.Atom) reached.push(at);
      else if (step.kind === StepKind.Either) for (const next of step.next) seen.add(next);
      else if (isEdge(step.source, before, after)) seen.add(step.next);
    }
    return reached;
  }
}

/** One character of an expression. */
class Atom {
  private readonly expression: RegExp | null;
  private readonly known = new Map<string, boolean>();

  constructor(source: string) {
    this.expression = expressionOf(`^${source}$`);
  }

  is(character: string): boolean {
    let isIt = this.known.get(character);
    if (isIt === undefined) this.known.set(character, (isIt = this.expression?.test(character) ?? false));
    return isIt;
  }
}

function isEdge(source: string, before: Side, after: Side): boolean {
  if (source === '^') return before === Side.Nothing;
  if (source === '$') return after === Side.Nothing;
  const isBorder = (before === Side.Word) !== (after === Side.Word);
  return isBorder === (source === '\\b');
}

const WORD = /^\w$/iu;

function sideOf(character: string): Side {
  if (character === '') return Side.Nothing;
  return WORD.test(character) ? Side.Word : Side.Other;
}

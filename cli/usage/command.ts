/**
 * What is known of a command: what help, completion, the man page and messages say about it, and what runs it.
 */
import type { Flag } from './flag.js';

/** What users want to do, in the order in which help lists it. */
export const TASKS = ['Record', 'Look', 'Ask', 'Keep and move', 'Help'] as const;

/** An argument that is no flag. */
export interface Argument {
  /** In the options of the command. */
  readonly property: string;
  /** What help calls it: "INPUT". */
  readonly word: string;
  readonly description: string;
  /** It takes all that is left, one at least. */
  readonly isMany?: boolean;
  readonly isOptional?: boolean;
  /** What may stand there; without it, a file if `isFile`, else anything. */
  readonly choices?: readonly string[];
  readonly isFile?: boolean;
}

export interface Command {
  readonly name: string;
  readonly task: (typeof TASKS)[number];
  /** One line. */
  readonly summary: string;
  /** Sentences that its own help adds. */
  readonly details?: string;
  readonly examples: readonly (readonly [command: string, explanation: string])[];
  readonly arguments: readonly Argument[];
  /** A command may follow behind a lone "--". */
  readonly runsCommand: boolean;
  readonly flags: () => readonly Flag[];
  /** Checks what was given, and runs. `toRun`: the command behind "--". */
  readonly run: (
    values: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
    toRun: readonly string[] | null,
  ) => Promise<void>;
}

/** "INPUT...", "[SHELL]". */
export function argumentText({ word, isMany, isOptional }: Argument): string {
  const text = isMany ? `${word}...` : word;
  return isOptional ? `[${text}]` : text;
}

/** Flags by the headings that they stand under, in their order. */
export function flagGroups(flags: readonly Flag[]): [heading: string, flags: Flag[]][] {
  const groups = new Map<string, Flag[]>();
  for (const each of flags) groups.set(each.group, [...(groups.get(each.group) ?? []), each]);
  return [...groups];
}

/**
 * What is known of a command: what help, completion, the man page and messages say about it, and what runs it.
 */
import type { Flag } from './flag.js';

/** What users want to do: help lists the commands by it. */
export type Task = 'Record' | 'Look' | 'Ask' | 'Keep and move' | 'Help';

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
  readonly task: Task;
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

/** All that help, completion and the man page are made of. */
export interface Program {
  readonly commands: readonly Command[];
  readonly exitCodes: readonly (readonly [code: number, meaning: string])[];
}

/**
 * Describes commands: the source of help, completion, the man page and messages.
 */
import type { Flag } from './flag.js';

/** A family of commands: help lists them together, and the help of each names the others. */
export interface Task {
  readonly title: string;
  /** What they have in common, as a clause after the title. */
  readonly about?: string;
}

/** A positional argument. */
export interface Argument {
  /** Name in the options of the command. */
  readonly property: string;
  /** Its name in help: "INPUT". */
  readonly placeholder: string;
  readonly description: string;
  /** What `--help` says, if that is shorter. */
  readonly short?: string;
  /** Accepts one or more: all remaining arguments. */
  readonly isMany?: boolean;
  readonly isOptional?: boolean;
  /** Accepted values. Default: any. */
  readonly choices?: readonly string[];
  readonly isFile?: boolean;
}

/** What the overview lists; the rest of a command is loaded when it is needed. */
export interface CommandEntry {
  readonly name: string;
  readonly task: Task;
  /** One line of help. */
  readonly summary: string;
  readonly load: () => Promise<{ readonly command: CommandBody }>;
}

/** What its file in `cli/commands` says of a command. */
export interface CommandBody {
  /** More sentences for the help of the command. */
  readonly details?: string;
  readonly examples: readonly (readonly [command: string, explanation: string])[];
  readonly arguments: readonly Argument[];
  /** Whether a command to record may follow "--". */
  readonly runsCommand: boolean;
  readonly flags: readonly Flag[];
  /** Flags that still work although there is a better way; they are in no help. */
  readonly retired: readonly Flag[];
  /** Checks the values and runs the command. */
  readonly run: (
    values: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
    context: CommandContext,
  ) => Promise<void>;
}

export interface CommandContext {
  /** The command after "--". */
  readonly recordedCommand: readonly string[] | null;
  readonly program: Program;
}

export interface Command extends CommandEntry, CommandBody {}

export async function loadCommand(entry: CommandEntry): Promise<Command> {
  return { ...entry, ...(await entry.load()).command };
}

export function loadCommands(entries: readonly CommandEntry[]): Promise<Command[]> {
  return Promise.all(entries.map(loadCommand));
}

/** The command line, as described in help, completion and the man page. */
export interface Program {
  /** In the order in which users need them. */
  readonly tasks: readonly Task[];
  readonly commands: readonly CommandEntry[];
  readonly exitCodes: readonly (readonly [code: number, meaning: string])[];
}

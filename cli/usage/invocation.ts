/**
 * Parses the words after `ptflame` into an invocation.
 */
import { existsSync, statSync } from 'node:fs';
import { type Argument, type Command, type CommandEntry, loadCommand, loadCommands } from './command.js';
import { type ParsedWords, parseWords } from './parse-words.js';
import {
  commandOf,
  missingArguments,
  missingCommand,
  swappedArguments,
  UnknownFlag,
  unexpectedArgument,
  unknownCommand,
  unknownFlag,
} from './usage-errors.js';

export type Invocation =
  | { readonly kind: 'help'; readonly command: Command | null; readonly isComplete: boolean }
  | { readonly kind: 'version' }
  | {
      readonly kind: 'run';
      readonly command: Command;
      /** Flags and arguments that were given, by property. */
      readonly values: Readonly<Record<string, unknown>>;
      /** About spellings that will stop to work. */
      readonly notes: readonly string[];
      /** The command after "--"; null without it. */
      readonly recordedCommand: readonly string[] | null;
    };

const COMPLETE_HELP = '--help-all';
const HELP = ['--help', '-h', COMPLETE_HELP];
const VERSION = ['--version', '-V', '-v'];

/** @throws PtflameError BAD_OPTION */
export async function parseInvocation(argv: readonly string[], commands: readonly CommandEntry[]): Promise<Invocation> {
  const at = argv.findIndex((word) => !word.startsWith('-'));
  const name = at < 0 ? undefined : argv[at];
  const entry = commands.find((each) => each.name === name);
  const command = entry === undefined ? null : await loadCommand(entry);
  const words = argv.filter((_, index) => index !== at);
  const { ours, recordedCommand } = splitAtDashes(words, command);
  const beforeDashes = ours.slice(0, [...ours, '--'].indexOf('--'));
  if (beforeDashes.some((word) => HELP.includes(word)) || argv.length === 0) {
    const topic = name === 'help' ? (beforeDashes.find((word) => !word.startsWith('-')) ?? name) : name;
    return {
      kind: 'help',
      command: await commandOf(topic, commands),
      isComplete: beforeDashes.includes(COMPLETE_HELP),
    };
  }
  if (beforeDashes.some((word) => VERSION.includes(word))) return { kind: 'version' };
  if (command === null) throw await unknownOrMissingCommand(name, words, commands);
  const parsed = await parse(ours, command, commands);
  return {
    kind: 'run',
    command,
    notes: parsed.notes,
    values: { ...parsed.values, ...assignArguments(parsed.arguments, command) },
    recordedCommand,
  };
}

async function parse(
  words: readonly string[],
  command: Command,
  commands: readonly CommandEntry[],
): Promise<ParsedWords> {
  try {
    return parseWords(words, [...command.flags, ...command.retired], command);
  } catch (error) {
    throw error instanceof UnknownFlag ? await unknownFlag(error, command, commands) : error;
  }
}

/** Splits off the command after "--", which is not parsed. */
function splitAtDashes(words: readonly string[], command: Command | null) {
  const at = words.indexOf('--');
  if (at < 0 || command?.runsCommand !== true) return { ours: words, recordedCommand: null };
  return { ours: words.slice(0, at), recordedCommand: words.slice(at + 1) };
}

async function unknownOrMissingCommand(
  name: string | undefined,
  words: readonly string[],
  commands: readonly CommandEntry[],
): Promise<Error> {
  if (name !== undefined) return unknownCommand(name, commands, existsSync(name));
  const flags = (await loadCommands(commands)).flatMap((command) => command.flags);
  try {
    parseWords(words, flags, null);
  } catch (error) {
    return error instanceof UnknownFlag ? unknownFlag(error, null, commands) : (error as Error);
  }
  return missingCommand();
}

/** `ptflame latency trace.txt` lacks the function, not the input. */
function isOnlyFile([word, ...more]: readonly string[]): boolean {
  return word !== undefined && more.length === 0 && existsSync(word) && statSync(word).isFile();
}

/** Also if there is no such file: `ptflame latency perf.data`. */
const LIKE_A_FILE = /^-$|\.(?:data|ptf|ptpack|txt|json|gz|zst|xz)$|^(?!\/.*\/[a-z]*$).*\//;

function lacksName([word = '', ...more]: readonly string[], command: Command): boolean {
  return more.length === 0 && command.arguments[0]?.isFile !== true && (isOnlyFile([word]) || LIKE_A_FILE.test(word));
}

/** A file where a name is wanted, and the name where the file is. */
function areSwapped([first = '', second = '', ...more]: readonly string[], command: Command): boolean {
  const [name, file] = command.arguments;
  const isNamed = name !== undefined && name.isFile !== true && file?.isFile === true && more.length === 0;
  return isNamed && second !== '' && second !== '-' && isOnlyFile([first]) && !existsSync(second);
}

function assignArguments(given: readonly string[], command: Command): Record<string, unknown> {
  const left = [...given];
  const values = command.arguments.map(({ property, isMany }) => [property, isMany ? left.splice(0) : left.shift()]);
  const isMissing = ({ isOptional }: Argument, value: unknown) =>
    isOptional !== true && (value === undefined || (Array.isArray(value) && value.length === 0));
  const missing = command.arguments.filter((argument, at) => isMissing(argument, values[at]?.[1]));
  if (missing.length > 0)
    throw missingArguments(lacksName(given, command) ? command.arguments.slice(0, 1) : missing, command);
  if (areSwapped(given, command)) throw swappedArguments(command, given);
  if (left.length > 0) throw unexpectedArgument(left, command);
  return Object.fromEntries(values.filter(([, value]) => value !== undefined));
}

/**
 * Parses the words after `ptflame` into an invocation.
 */
import { existsSync, statSync } from 'node:fs';
import type { Argument, Command } from './command.js';
import { parseWords } from './parse-words.js';
import {
  missingArguments,
  missingCommand,
  swappedArguments,
  unexpectedArgument,
  unknownCommand,
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
export function parseInvocation(argv: readonly string[], commands: readonly Command[]): Invocation {
  const at = argv.findIndex((word) => !word.startsWith('-'));
  const name = at < 0 ? undefined : argv[at];
  const command = commands.find((each) => each.name === name);
  const words = argv.filter((_, index) => index !== at);
  const { ours, recordedCommand } = splitAtDashes(words, command);
  const beforeDashes = ours.slice(0, [...ours, '--'].indexOf('--'));
  if (beforeDashes.some((word) => HELP.includes(word)) || argv.length === 0) {
    const topic = name === 'help' ? (beforeDashes.find((word) => !word.startsWith('-')) ?? name) : name;
    return { kind: 'help', command: commandOf(topic, commands), isComplete: beforeDashes.includes(COMPLETE_HELP) };
  }
  if (beforeDashes.some((word) => VERSION.includes(word))) return { kind: 'version' };
  if (command === undefined) throw unknownOrMissingCommand(name, words, commands);
  const parsed = parseWords(ours, [...command.flags(), ...command.retired()], { command, commands });
  return {
    kind: 'run',
    command,
    notes: parsed.notes,
    values: { ...parsed.values, ...assignArguments(parsed.arguments, command) },
    recordedCommand,
  };
}

/** `name`: undefined for ptflame as a whole, of which null is returned. @throws PtflameError BAD_OPTION */
export function commandOf(name: string | undefined, commands: readonly Command[]): Command | null {
  if (name === undefined) return null;
  const command = commands.find((each) => each.name === name);
  if (command === undefined) throw unknownCommand(name, commands, existsSync(name));
  return command;
}

/** Splits off the command after "--", which is not parsed. */
function splitAtDashes(words: readonly string[], command: Command | undefined) {
  const at = words.indexOf('--');
  if (at < 0 || command?.runsCommand !== true) return { ours: words, recordedCommand: null };
  return { ours: words.slice(0, at), recordedCommand: words.slice(at + 1) };
}

function unknownOrMissingCommand(
  name: string | undefined,
  words: readonly string[],
  commands: readonly Command[],
): Error {
  if (name !== undefined) return unknownCommand(name, commands, existsSync(name));
  const flags = commands.flatMap((command) => command.flags());
  parseWords(words, flags, { command: null, commands }); // throws for unknown flags
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

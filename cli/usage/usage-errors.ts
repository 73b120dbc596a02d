/**
 * Creates errors about a command line, with what was probably meant.
 */
import { existsSync } from 'node:fs';
import { PtflameError } from '../../src/model/errors.js';
import { similarNames } from '../../src/render/similar-names.js';
import { shellWords } from '../../src/render/visible-text.js';
import { whatWrites } from '../output/formats.js';
import { type Argument, type Command, type CommandEntry, loadCommand, loadCommands } from './command.js';
import type { Flag } from './flag.js';

/** Flags of every command that are in no schema. */
const GENERAL_FLAGS = ['--help', '--help-all', '--version'];

/** `hint`: what was probably meant; followed by a reference to help. */
function usageError(message: string, hint: string | null, command: Command | null): PtflameError {
  const help = `ptflame ${command === null ? '' : `${command.name} `}--help`;
  return new PtflameError('BAD_OPTION', message, { hint: withHelp(hint, help) });
}

/** "did you mean --by? See HELP", "for example: …; see HELP", "see HELP". */
export function withHelp(hint: string | null, help: string): string {
  if (hint === null) return `see ${help}`;
  return hint.endsWith('?') ? `${hint} See ${help}` : `${hint}; see ${help}`;
}

/** Thrown where words are parsed; `unknownFlag` says what was probably meant. */
export class UnknownFlag extends Error {
  constructor(
    /** With dashes, without value. */
    readonly written: string,
    /** The word after it. */
    readonly next: string | undefined,
  ) {
    super(`unknown option ${written}`);
  }
}

export async function unknownFlag(
  { message, written, next }: UnknownFlag,
  command: Command | null,
  entries: readonly CommandEntry[],
): Promise<PtflameError> {
  const commands = await loadCommands(entries);
  const flags = (command === null ? commands : [command]).flatMap((each) => each.flags);
  const nearest = nearestWord(written, [...GENERAL_FLAGS, ...flags.map(({ name }) => `--${name}`)]);
  const owner = command === null ? null : optionOf(written, commands);
  const meant = optionMeant(written);
  const own = command?.flags.find(({ name }) => name === meant);
  const hint =
    (command === null ? null : otherOutput(written, command, next)) ??
    (own === undefined ? null : suggestion(`--${own.name}${own.value === null ? '' : ` ${own.value}`}`)) ??
    owner ??
    suggestion(nearest);
  return usageError(message, hint, command);
}

/** For `-o` of a command that has none: what was probably meant by the file. */
function otherOutput(written: string, command: Command, next: string | undefined): string | null {
  if (written !== '-o' && written !== '--output') return null;
  const own = command.flags.find(({ name }) => name === 'to' || name === 'levels');
  const meant = next === undefined ? null : whatWrites(next);
  return meant ?? (own === undefined ? null : `${command.name} writes where --${own.name} says`);
}

function suggestion(word: string | null): string | null {
  return word === null ? null : `did you mean ${word}?`;
}

/** `next`: the next word, which looks like a flag. */
export function missingValue(
  { name, value, choices, whenEmpty }: Flag,
  next: string | undefined,
  command: Command | null,
): PtflameError {
  if (whenEmpty !== null) return usageError(`--${name} has no value; ${whenEmpty}`, null, command);
  const example = `--${name}${choices === null ? ` ${value}` : ` ${choices[0]}`}`;
  const hint = next === undefined || next === '--' ? null : `write a value that begins with - as --${name}=${next}`;
  return usageError(`--${name} needs a value, such as ${example}`, hint, command);
}

export function unexpectedValue({ name }: Pick<Flag, 'name'>, command: Command | null): PtflameError {
  return usageError(`--${name} takes no value`, null, command);
}

/** `name`: undefined for ptflame as a whole, of which null is returned. @throws PtflameError BAD_OPTION */
export async function commandOf(name: string | undefined, commands: readonly CommandEntry[]): Promise<Command | null> {
  if (name === undefined) return null;
  const entry = commands.find((each) => each.name === name);
  if (entry === undefined) throw await unknownCommand(name, commands, existsSync(name));
  return loadCommand(entry);
}

/** `isFile`: the word is the path of an existing file. */
export async function unknownCommand(
  word: string,
  commands: readonly CommandEntry[],
  isFile: boolean,
): Promise<PtflameError> {
  const names = commands.map(({ name }) => name);
  const file = isFile ? `it is a file: ptflame render ${shellWords([word])} -o flame.html` : null;
  const hint =
    suggestion(nearestWord(word, names) ?? commandMeant(word)) ??
    file ??
    optionOf(`--${word}`, await loadCommands(commands)) ??
    pathHint(word);
  return usageError(`unknown command ${word}`, hint ?? `the commands are ${names.join(', ')}`, null);
}

/** A file comes after the command. */
function pathHint(word: string): string | null {
  if (!/[./]/.test(word)) return null;
  return `the command comes first: ptflame render ${shellWords([word])} -o flame.html`;
}

/** "--inside is an option of ptflame render, ptflame report"; null if it is none. */
function optionOf(written: string, commands: readonly Command[]): string | null {
  const owners = commands.filter((each) => each.flags.some(({ name }) => `--${name}` === written));
  if (owners.length === 0) return null;
  return `${written} is an option of ${owners.map(({ name }) => `ptflame ${name}`).join(', ')}`;
}

export function missingCommand(): PtflameError {
  return usageError('no command given', null, null);
}

export function missingArguments(missing: readonly Argument[], command: Command): PtflameError {
  const names = missing.map(({ placeholder }) => placeholder).join(' and ');
  const [example] = command.examples.find(([text]) => text.startsWith(`ptflame ${command.name} `)) ?? [];
  const pipe = missing.some(({ property }) => property === 'inputs') ? '; - is standard input' : '';
  const hint = example === undefined ? null : `for example: ${example}${pipe}`;
  return usageError(`${command.name} needs ${names}`, hint, command);
}

/** `ptflame latency perf.data main`. */
export function swappedArguments(command: Command, [file = '', other = '']: readonly string[]): PtflameError {
  const [first] = command.arguments;
  const hint = `did you mean ptflame ${command.name} ${shellWords([other, file])}?`;
  return usageError(`${first?.placeholder} comes before the input, and ${file} is a file`, hint, command);
}

/** `words`: the unexpected argument and all words after it. */
export function unexpectedArgument(words: readonly string[], command: Command): PtflameError {
  const remedy = `put the command after --: ptflame ${command.name} -- ${shellWords(words)}`;
  return usageError(`unexpected argument: ${words[0]}`, command.runsCommand ? remedy : null, command);
}

/** `name`: "--by", or the placeholder of an argument. */
export function invalidChoice(
  name: string,
  written: unknown,
  choices: readonly string[],
): { message: string; hint: string | null } {
  const list = choices.map((choice) => `"${choice}"`).join(', ');
  return {
    message: `${name}: "${written}" is not one of ${list}`,
    hint: suggestion(nearestWord(String(written), choices)),
  };
}

/** Shorter words are similar to too many others. */
const MIN_LETTERS = 3;

/**
 * Suggests the word that was probably meant by a mistyped one.
 *
 * "anotate" or "--annot" → "--annotate"; null if no word is similar.
 */
function nearestWord(word: string, known: readonly string[]): string | null {
  if (bare(word).length < MIN_LETTERS) return null;
  const [nearest] = similarNames(bare(word), known.map(bare));
  return known.find((candidate) => bare(candidate) === nearest) ?? null;
}

/** What other tools and people call our commands. */
const COMMAND_WORDS: Readonly<Record<string, string>> = {
  ...of('render', 'draw graph flamegraph flame plot svg html folded show picture'),
  ...of('record', 'trace attach capture profile run start'),
  ...of('report', 'top stat stats list annotate functions hot'),
  ...of('import', 'script convert decode load'),
  ...of('diff', 'compare cmp'),
  ...of('doctor', 'check verify setup'),
  ...of('info', 'describe inspect header file'),
  ...of('pack', 'archive bundle zip'),
  ...of('serve', 'view open web http browse ui'),
  ...of('latency', 'histogram percentile percentiles slow'),
  ...of('waits', 'sched offcpu off-cpu blocked'),
  ...of('export', 'parquet'),
};

/** The same of options, of those commands that have them. */
const OPTION_WORDS: Readonly<Record<string, string>> = {
  ...of('top', 'n limit max-rows rows count'),
  ...of('tid', 'thread'),
  ...of('pid', 'process'),
  ...of('window', 'range from to start end between'),
  ...of('time', 'duration seconds sleep'),
  ...of('format', 'f type'),
  ...of('match', 'function filter grep symbol'),
  ...of('inside', 'function within'),
  ...of('min-call', 'min-duration threshold min-latency'),
  ...of('output', 'out file html svg folded pdf png'),
  ...of('jobs', 'workers parallel cores'),
};

function of(meant: string, words: string): Record<string, string> {
  return Object.fromEntries(words.split(' ').map((word) => [word, meant]));
}

/** Returns the command that is meant by a word of another tool; null: not known. */
function commandMeant(word: string): string | null {
  return Object.hasOwn(COMMAND_WORDS, word) ? (COMMAND_WORDS[word] as string) : null;
}

/** The same of an option, with or without dashes. */
function optionMeant(word: string): string | null {
  const known = bare(word).toLowerCase();
  return Object.hasOwn(OPTION_WORDS, known) ? (OPTION_WORDS[known] as string) : null;
}

function bare(word: string): string {
  return word.replace(/^-+/, '');
}

/**
 * What is wrong with a command line, in words, and what was probably meant.
 */
import { PtflameError, shellWords } from '../../src/text.js';
import type { Argument, Command } from './command.js';
import type { Flag } from './flag.js';
import { nearestWord } from './suggestions.js';

/** Of which command the words are, and all there are. */
export interface Context {
  readonly command: Command | null;
  readonly commands: readonly Command[];
}

/** What every command understands, whatever its schema. */
const EVERYWHERE = ['--help', '--version'];

/** `hint`: what was probably meant; then where help is. */
function complaint(message: string, hint: string | null, command: Command | null): PtflameError {
  const help = `ptflame ${command === null ? '' : `${command.name} `}--help`;
  return new PtflameError('BAD_OPTION', message, { hint: withHelp(hint, help) });
}

/** "did you mean --by? See HELP", "for example: …; see HELP", "see HELP". */
export function withHelp(hint: string | null, help: string): string {
  if (hint === null) return `see ${help}`;
  return hint.endsWith('?') ? `${hint} See ${help}` : `${hint}; see ${help}`;
}

/** `written`: with its dashes, without its value. */
export function unknownFlag(written: string, about: Context): PtflameError {
  const { command, commands } = about;
  const flags = (command === null ? commands : [command]).flatMap((each) => each.flags());
  const nearest = nearestWord(written, [...EVERYWHERE, ...flags.map(({ name }) => `--${name}`)]);
  const others = commands.filter((each) => each.flags().some(({ name }) => `--${name}` === written));
  const names = others.map(({ name }) => `ptflame ${name}`).join(', ');
  const hint = others.length > 0 && command !== null ? `${written} is an option of ${names}` : meant(nearest);
  return complaint(`unknown option ${written}`, hint, command);
}

function meant(word: string | null): string | null {
  return word === null ? null : `did you mean ${word}?`;
}

/** `next`: the word behind it, which is no value of it. */
export function valueMissing({ name, value, choices }: Flag, next: string | undefined, about: Context): PtflameError {
  const example = `--${name}${choices === null ? ` ${value}` : ` ${choices[0]}`}`;
  const guard = next === undefined || next === '--' ? null : `a value that begins with - is written --${name}=${next}`;
  return complaint(`--${name} needs a value, as ${example}`, guard, about.command);
}

export function needlessValue({ name }: Flag, about: Context): PtflameError {
  return complaint(`--${name} takes no value`, null, about.command);
}

/** What stands where a command is expected. */
export function unknownCommand(word: string, commands: readonly Command[], isFile: boolean): PtflameError {
  const nearest = nearestWord(
    word,
    commands.map(({ name }) => name),
  );
  const file = isFile && nearest === null ? `it is a file: ptflame render ${shellWords([word])} -o flame.html` : null;
  return complaint(`unknown command ${word}`, meant(nearest) ?? file, null);
}

export function commandMissing(): PtflameError {
  return complaint('which command?', null, null);
}

/** `missing`: the arguments that were not given. */
export function argumentsMissing(missing: readonly Argument[], command: Command): PtflameError {
  const names = missing.map(({ word }) => word).join(' and ');
  const [example] = command.examples.find(([text]) => text.startsWith(`ptflame ${command.name} `)) ?? [];
  const hint = example === undefined ? null : `for example: ${example}`;
  return complaint(`${command.name} needs ${names}`, hint, command);
}

/** `words`: those that are too many, and what stands behind them. */
export function argumentLeftOver(words: readonly string[], command: Command): PtflameError {
  const behind = `a command comes behind --: ptflame ${command.name} -- ${shellWords(words)}`;
  return complaint(`unexpected argument: ${words[0]}`, command.runsCommand ? behind : null, command);
}

/** `name`: "--by", or what help calls an argument. */
export function wrongChoice(
  name: string,
  written: unknown,
  choices: readonly string[],
): { message: string; hint: string | null } {
  const list = choices.map((choice) => `"${choice}"`).join(', ');
  return { message: `${name}: "${written}" is none of ${list}`, hint: meant(nearestWord(String(written), choices)) };
}

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

function complaint(message: string, hints: readonly (string | null)[]): PtflameError {
  return new PtflameError('BAD_OPTION', message, { hint: hints.filter((hint) => hint !== null).join('; ') });
}

function see({ command }: Pick<Context, 'command'>): string {
  return `see ptflame ${command === null ? '' : `${command.name} `}--help`;
}

/** `written`: with its dashes, without its value. */
export function unknownFlag(written: string, about: Context): PtflameError {
  const { command, commands } = about;
  const flags = (command === null ? commands : [command]).flatMap((each) => each.flags());
  const nearest = nearestWord(written, [...EVERYWHERE, ...flags.map(({ name }) => `--${name}`)]);
  const others = commands.filter((each) => each.flags().some(({ name }) => `--${name}` === written));
  const names = others.map(({ name }) => `ptflame ${name}`).join(', ');
  const hint = others.length > 0 && command !== null ? `${written} is an option of ${names}` : meant(nearest);
  return complaint(`unknown option ${written}`, [hint, see(about)]);
}

function meant(word: string | null): string | null {
  return word === null ? null : `did you mean ${word}?`;
}

/** `next`: the word behind it, which is no value of it. */
export function valueMissing({ name, value, choices }: Flag, next: string | undefined, about: Context): PtflameError {
  const example = `--${name}${choices === null ? ` ${value}` : ` ${choices[0]}`}`;
  const guard = next === undefined || next === '--' ? null : `a value that begins with - is written --${name}=${next}`;
  return complaint(`--${name} needs a value, as ${example}`, [guard, see(about)]);
}

export function needlessValue({ name }: Flag, about: Context): PtflameError {
  return complaint(`--${name} takes no value`, [see(about)]);
}

/** What stands where a command is expected. */
export function unknownCommand(word: string, commands: readonly Command[], isFile: boolean): PtflameError {
  const nearest = nearestWord(
    word,
    commands.map(({ name }) => name),
  );
  const file = isFile && nearest === null ? `it is a file: ptflame render ${shellWords([word])} -o flame.html` : null;
  return complaint(`unknown command ${word}`, [meant(nearest), file, see({ command: null })]);
}

export function commandMissing(): PtflameError {
  return complaint('which command?', [see({ command: null })]);
}

/** `missing`: the arguments that were not given. */
export function argumentsMissing(missing: readonly Argument[], command: Command): PtflameError {
  const names = missing.map(({ word }) => word).join(' and ');
  const [example] = command.examples.find(([text]) => text.startsWith(`ptflame ${command.name} `)) ?? [];
  const hint = example === undefined ? null : `for example: ${example}`;
  return complaint(`${command.name} needs ${names}`, [hint, see({ command })]);
}

export function argumentLeftOver(word: string, command: Command): PtflameError {
  const behind = `a command comes behind --: ptflame ${command.name} -- ${shellWords([word])} …`;
  return complaint(`unexpected argument: ${word}`, [command.runsCommand ? behind : null, see({ command })]);
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

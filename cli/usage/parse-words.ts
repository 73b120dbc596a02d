/**
 * Parses the words of a command line into flag values and arguments. Unknown flags and missing values are refused here,
 * with better messages than those of yargs, which then converts numbers, lists and booleans.
 */
import { Parser } from 'yargs/helpers';
import type { Command } from './command.js';
import type { Flag } from './flag.js';
import { missingValue, UnknownFlag, unexpectedArgument, unexpectedValue } from './usage-errors.js';

export interface ParsedWords {
  /** By property. If a flag that is not a list is repeated, the last value wins, so that those of a script can be overridden. */
  readonly values: Readonly<Record<string, unknown>>;
  readonly arguments: readonly string[];
  /** What to write instead of spellings that will stop to work. */
  readonly notes: readonly string[];
}

/**
 * `command`: of the words; null if it is not known.
 *
 * @throws PtflameError BAD_OPTION
 * @throws UnknownFlag
 */
export function parseWords(words: readonly string[], flags: readonly Flag[], command: Command | null): ParsedWords {
  const { forYargs, arguments: positional, notes } = new Splitter(flags, command).split(words);
  const properties = Object.fromEntries(flags.map(({ name, property }) => [name, property]));
  const parsed = Parser(forYargs, yargsOptions(flags)) as Record<string, unknown>;
  const given = Object.entries(parsed).filter(([name]) => properties[name] !== undefined);
  const isList = new Set(flags.filter((flag) => flag.isList).map(({ name }) => name));
  return {
    arguments: positional,
    notes: [...notes],
    values: Object.fromEntries(
      given.map(([name, value]) => {
        const all = [value].flat().map(unguarded);
        return [properties[name], isList.has(name) ? all : all.at(-1)];
      }),
    ),
  };
}

function yargsOptions(flags: readonly Flag[]): Parser.Options {
  const names = (wanted: (flag: Flag) => boolean) => flags.filter(wanted).map(({ name }) => name);
  return {
    array: names(({ isList }) => isList),
    boolean: names(({ kind }) => kind === 'boolean'),
    number: names(({ kind }) => kind === 'number'),
    string: names(({ kind }) => kind === 'string'),
    configuration: {
      'boolean-negation': false,
      'camel-case-expansion': false,
      'dot-notation': false,
      'duplicate-arguments-array': true,
      'greedy-arrays': false,
    },
  };
}

/** Prefix for values that yargs would read as flags; no argument of a process can contain it. */
const GUARD = '\0';
const LOOKS_LIKE_FLAG = /^-(?!\d)/;

/** "34", "34,", "20-29": a file of such a name is passed as ./34. */
const NUMBERS = /^\s*\d[\d,\s-]*$/;

function unguarded(value: unknown): unknown {
  return typeof value === 'string' && value.startsWith(GUARD) ? value.slice(GUARD.length) : value;
}

class Splitter {
  readonly #flags: ReadonlyMap<string, Flag>;
  readonly #command: Command | null;
  /** Flags by their long names, each followed by its value. */
  readonly forYargs: string[] = [];
  readonly arguments: string[] = [];
  readonly notes = new Set<string>();

  constructor(flags: readonly Flag[], command: Command | null) {
    const named = flags.flatMap((flag) => [flag.name, ...(flag.alias ? [flag.alias] : [])].map((name) => [name, flag]));
    this.#flags = new Map(named as [string, Flag][]);
    this.#command = command;
  }

  split(words: readonly string[]): this {
    const left = [...words];
    for (let word = left.shift(); word !== undefined; word = left.shift()) {
      if (word === '--') this.arguments.push(...left.splice(0));
      else if (word.startsWith('--')) this.#long(word, left);
      else if (word.startsWith('-') && word !== '-') this.#short(word, left);
      else this.#argument(word, left);
    }
    return this;
  }

  /** Refused at once if the command takes none, before flags that may belong to another program. */
  #argument(word: string, left: readonly string[]): void {
    const command = this.#command;
    if (command?.arguments.length === 0) throw unexpectedArgument([word, ...left], command);
    this.arguments.push(word);
  }

  /** `--title=x`, `--title x`. */
  #long(word: string, left: string[]): void {
    const [, name = '', value] = /^--([^=]*)(?:=(.*))?$/s.exec(word) as RegExpExecArray;
    const flag = name.length > 1 ? this.#flags.get(name) : undefined;
    if (flag === undefined) return this.#formerly(name, value, left);
    if (flag.instead !== null) this.notes.add(`--${name} will be removed: ${flag.instead}`);
    this.#add(flag, value, left);
  }

  /** `--in f` for `--inside f`, `--threads` for `--by thread`. */
  #formerly(name: string, attached: string | undefined, left: string[]): void {
    const flag = [...this.#flags.values()].find((each) => Object.hasOwn(each.formerly, name));
    if (flag === undefined) throw new UnknownFlag(`--${name}`, attached ?? left[0]);
    const meaning = flag.formerly[name] ?? null;
    if (meaning !== null && attached !== undefined && attached !== 'true')
      throw unexpectedValue({ name }, this.#command);
    const now = `--${flag.name}${meaning === null ? '' : ` ${meaning}`}`;
    this.notes.add(`--${name} is now ${now}, and will be removed`);
    this.#add(flag, meaning ?? attached, left);
  }

  /** `-o x`, `-ox`, `-o=x`; `-aq` is two flags. */
  #short(word: string, left: string[]): void {
    const letters = word.slice(1);
    if (this.#flags.has(letters) && letters.length > 1) throw new UnknownFlag(word, undefined); // -output is not -o utput
    for (let at = 0; at < letters.length; at++) {
      const flag = this.#flags.get(letters[at]);
      if (flag?.alias !== letters[at]) throw new UnknownFlag(at === 0 ? word : `-${letters[at]}`, left[0]);
      const rest = letters.slice(at + 1);
      const takesRest = rest !== '' && (flag.value !== null || rest.startsWith('='));
      this.#add(flag, takesRest ? rest.replace(/^=/, '') : undefined, left);
      if (takesRest) return;
    }
  }

  #add(flag: Flag, attached: string | undefined, left: string[]): void {
    if (flag.value === null) return this.#addBoolean(flag, attached);
    const next = left[0];
    const isNextValue = next !== undefined && (next === '-' || !LOOKS_LIKE_FLAG.test(next));
    const value = attached ?? (isNextValue ? left.shift() : flag.isValueOptional ? '' : undefined);
    if (value === undefined) throw missingValue(flag, next, this.#command);
    this.forYargs.push(`--${flag.name}`, LOOKS_LIKE_FLAG.test(value) ? GUARD + value : value);
    while (flag.takesNumbers && NUMBERS.test(left[0] ?? ''))
      this.forYargs.push(`--${flag.name}`, left.shift() as string);
  }

  #addBoolean(flag: Flag, attached: string | undefined): void {
    if (attached !== undefined && !/^(?:true|false)$/.test(attached)) throw unexpectedValue(flag, this.#command);
    this.forYargs.push(`--${flag.name}`, attached ?? 'true');
  }
}

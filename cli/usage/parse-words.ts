/**
 * The words of a command line → flags with their values, and arguments. Every word is known before yargs turns them into
 * numbers, lists and booleans: what is not is refused here, in our words.
 */
import { Parser } from 'yargs/helpers';
import type { Flag } from './flag.js';
import { argumentLeftOver, type Context, needlessValue, unknownFlag, valueMissing } from './usage-errors.js';

export interface Words {
  /** By property. Of a flag that is no list and was given twice the last one counts: a script's can be overruled. */
  readonly values: Readonly<Record<string, unknown>>;
  readonly arguments: readonly string[];
}

/** @throws PtflameError BAD_OPTION */
export function parseWords(words: readonly string[], flags: readonly Flag[], about: Context): Words {
  const { forYargs, values } = new Splitter(flags, about).split(words);
  const properties = Object.fromEntries(flags.map(({ name, property }) => [name, property]));
  const parsed = Parser(forYargs, yargsOptions(flags)) as Record<string, unknown>;
  const given = Object.entries(parsed).filter(([name]) => properties[name] !== undefined);
  const isList = new Set(flags.filter((flag) => flag.isList).map(({ name }) => name));
  return {
    arguments: values,
    values: Object.fromEntries(
      given.map(([name, value]) => {
        const all = [value].flat().map(unprotected);
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

/** Stands before a value that yargs would take for a flag; no argument of a process can hold it. */
const GUARD = '\0';
const LOOKS_LIKE_A_FLAG = /^-(?!\d)/;

function unprotected(value: unknown): unknown {
  return typeof value === 'string' && value.startsWith(GUARD) ? value.slice(GUARD.length) : value;
}

class Splitter {
  readonly #flags: ReadonlyMap<string, Flag>;
  readonly #about: Context;
  /** Flags under their whole names, each followed by its value if it has one. */
  readonly forYargs: string[] = [];
  readonly values: string[] = [];

  constructor(flags: readonly Flag[], about: Context) {
    const named = flags.flatMap((flag) => [flag.name, ...(flag.alias ? [flag.alias] : [])].map((name) => [name, flag]));
    this.#flags = new Map(named as [string, Flag][]);
    this.#about = about;
  }

  split(words: readonly string[]): this {
    const left = [...words];
    for (let word = left.shift(); word !== undefined; word = left.shift()) {
      if (word === '--') this.values.push(...left.splice(0));
      else if (word.startsWith('--')) this.#long(word, left);
      else if (word.startsWith('-') && word !== '-') this.#short(word, left);
      else this.#argument(word, left);
    }
    return this;
  }

  /** Of a command that takes none it is refused before the flags behind it, which may be another program's. */
  #argument(word: string, left: readonly string[]): void {
    const { command } = this.#about;
    if (command?.arguments.length === 0) throw argumentLeftOver([word, ...left], command);
    this.values.push(word);
  }

  /** `--title=x`, `--title x`. */
  #long(word: string, left: string[]): void {
    const [, name = '', value] = /^--([^=]*)(?:=(.*))?$/s.exec(word) as RegExpExecArray;
    const flag = name.length > 1 ? this.#flags.get(name) : undefined;
    if (flag === undefined) throw unknownFlag(`--${name}`, this.#about);
    this.#add(flag, value, left);
  }

  /** `-o x`, `-ox`, `-o=x`; `-aq` is two flags. */
  #short(word: string, left: string[]): void {
    const letters = word.slice(1);
    if (this.#flags.has(letters) && letters.length > 1) throw unknownFlag(word, this.#about); // -output is not -o utput
    for (let at = 0; at < letters.length; at++) {
      const flag = this.#flags.get(letters[at]);
      if (flag?.alias !== letters[at]) throw unknownFlag(at === 0 ? word : `-${letters[at]}`, this.#about);
      const rest = letters.slice(at + 1);
      const takesRest = rest !== '' && (flag.value !== null || rest.startsWith('='));
      this.#add(flag, takesRest ? rest.replace(/^=/, '') : undefined, rest === '' ? left : []);
      if (takesRest) return;
    }
  }

  #add(flag: Flag, attached: string | undefined, left: string[]): void {
    if (flag.value === null) return this.#addBoolean(flag, attached);
    const next = left[0];
    const isNextValue = next !== undefined && (next === '-' || !LOOKS_LIKE_A_FLAG.test(next));
    const value = attached ?? (isNextValue ? left.shift() : flag.isValueOptional ? '' : undefined);
    if (value === undefined) throw valueMissing(flag, next, this.#about);
    this.forYargs.push(`--${flag.name}`, LOOKS_LIKE_A_FLAG.test(value) ? GUARD + value : value);
  }

  #addBoolean(flag: Flag, attached: string | undefined): void {
    if (attached !== undefined && !/^(?:true|false)$/.test(attached)) throw needlessValue(flag, this.#about);
    this.forYargs.push(`--${flag.name}`, attached ?? 'true');
  }
}

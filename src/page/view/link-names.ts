/**
 * Names functions and threads in addresses, so that a link fits other recordings of the same program:
 * `main;handle;memcpy@libc.so.6`, `worker-4711`.
 */

import type { SymbolTable } from '../../model/symbol-table.js';
import { dsoOf, filesBehindNames, shortFileName } from '../../model/symbol-table.js';
import type { SymbolId } from '../../model/units.js';
import { visibleText } from '../../render/visible-text.js';
import { once } from './memoize-last.js';
import { shownNames } from './shown-names.js';

/** A longer list is written as numbers, which fit this file only: browsers refuse addresses of megabytes. */
const MAX_LIST_LENGTH = 4000;

/** As older links have them. */
const NUMBERS = /^\d{1,9}(\.\d{1,9})*$/;

export interface ReadFunctions {
  readonly symbols: readonly SymbolId[];
  /** Names of functions that are not there. */
  readonly missing: readonly string[];
}

/** A row of the threads. */
interface LinkedThread {
  readonly key: string;
  readonly name: string;
  readonly isIdle: boolean;
}

/** How a choice of threads begins that has numbers, and one that is a name. */
const TIDS = /^tids?:([\d,]+)$/;
const GROUP = 'name:';

export class LinkNames {
  private readonly known = once(() => this.name());
  private readonly files = once(() => filesByName(this.symbols.dsoName));

  constructor(
    private readonly symbols: SymbolTable,
    private readonly threads: readonly LinkedThread[] = [],
  ) {}

  /** Writes a list of functions. */
  write(symbols: readonly SymbolId[]): string {
    if (symbols.length === 0) return '';
    const { words } = this.known();
    const text = symbols.map((symbol) => words[symbol]).join(';');
    return text.length > MAX_LIST_LENGTH ? symbols.join('.') : text;
  }

  /** Reads a list of names, or of numbers. `isPath`: it ends above the first frame that is not there. */
  read(text: string, isPath = false): ReadFunctions {
    const words = text === '' ? [] : text.split(NUMBERS.test(text) ? '.' : ';');
    const ids = words.map((word) => this.idOf(word));
    const gap = isPath ? ids.indexOf(null) : -1;
    return {
      symbols: (gap === -1 ? ids : ids.slice(0, gap)).filter((id) => id !== null),
      missing: words.filter((_, at) => ids[at] === null).map(unescaped),
    };
  }

  /** Writes files, without their directories where that is clear. */
  writeFiles(files: readonly string[]): string {
    const known = this.files();
    const nameOf = (file: string) =>
      known.get(visibleText(shortFileName(file))) === file ? shortFileName(file) : file;
    return files.map((file) => escaped(visibleText(nameOf(file)))).join(';');
  }

  /** Reads a list of files. */
  readFiles(text: string): { readonly files: readonly string[]; readonly missing: readonly string[] } {
    const words = text === '' ? [] : text.split(';');
    const known = this.files();
    const files = words.map((word) => known.get(unescaped(word)) ?? null);
    return {
      files: [...new Set(files.filter((file) => file !== null))],
      missing: words.filter((_, at) => files[at] === null).map(unescaped),
    };
  }

  /** Writes a choice of threads, `State.threads`: single threads by their names. */
  writeThreads(choice: string): string {
    const words = (TIDS.exec(choice)?.[1] ?? '').split(',').map((tid) => {
      const name = this.threads.find(({ key }) => key === `tid:${tid}`)?.name ?? GROUP;
      return name.startsWith(GROUP) || name === `thread ${tid}` ? null : `${escaped(name)}-${tid}`;
    });
    return words.includes(null) ? choice : words.join(';');
  }

  /**
   * Reads what `writeThreads` writes. In another recording, a name is for all threads of that name. `missing`: names of what is
   * not there; `choice` is empty if nothing is.
   */
  readThreads(text: string): { readonly choice: string; readonly missing: readonly string[] } {
    const missing: string[] = [];
    const { threads } = this;
    if (/^(?:|all|rest)$/.test(text) || (text === 'idle' && threads.some(({ isIdle }) => isIdle)))
      return { choice: text, missing };
    const words = text.startsWith(GROUP)
      ? [[text.slice(GROUP.length)]]
      : (TIDS.exec(text)?.[1]
          ?.split(',')
          .map((tid) => [null, tid]) ?? text.split(';').map(nameAndTid));
    const found = words.flatMap(([name, tid]) => {
      const own = threads.filter((thread) => name === null || thread.name === name);
      if (own.some(({ key }) => key === `tid:${tid}`)) return `tid:${tid}`;
      if (name != null && own.length > 0) return GROUP + name;
      missing.push(name == null ? `thread ${tid}` : `threads ${name}`);
      return [];
    });
    const isFound = ({ key, name }: LinkedThread) => found.includes(key) || found.includes(GROUP + name);
    if (missing.length > 0 && threads.every(isFound)) return { choice: '', missing };
    const several = `tids:${threads.filter(isFound).map(({ key }) => key.slice('tid:'.length))}`;
    return { choice: found.length > 1 ? several : (found[0] ?? ''), missing };
  }

  private idOf(word: string): SymbolId | null {
    const { symbols } = this;
    if (/^\d{1,9}$/.test(word)) return Number(word) < symbols.length ? Number(word) : null;
    const { idOfWord, idOfName } = this.known();
    const exact = idOfWord.get(word);
    if (exact !== undefined) return exact;
    // in the recording of the link, another file had a function of this name, too; or this one has no files
    const [, name, file] = /^(.+)@(.+)$/s.exec(word) ?? [];
    const id = name === undefined ? null : idOfName.get(name);
    if (id == null) return null;
    const dso = dsoOf(symbols, id);
    return dso === null || [dso, shortFileName(dso)].some((own) => escaped(visibleText(own)) === file) ? id : null;
  }

  private name() {
    const { symbols } = this;
    const named = symbols.name.map((name, symbol) => ({ name, dso: dsoOf(symbols, symbol) }));
    const files = filesBehindNames(named); // " (libc.so.6)" or empty
    const idOfWord = new Map<string, SymbolId>();
    /** null: of several functions. */
    const idOfName = new Map<string, SymbolId | null>();
    const words = named.map(({ name }, symbol) => {
      const plain = escaped(visibleText(name));
      idOfName.set(plain, idOfName.has(plain) ? null : symbol);
      const file = (files[symbol] as string).slice(2, -1);
      const word = file === '' ? plain : `${plain}@${escaped(visibleText(file))}`;
      if (word === '' || idOfWord.has(word)) return `${symbol}`;
      idOfWord.set(word, symbol);
      return word;
    });
    const shown = shownNames(symbols);
    for (const symbol of shown.renamed) {
      const word = escaped(shown.names[symbol] as string);
      if (!idOfWord.has(word)) idOfWord.set(word, symbol);
    }
    return { words, idOfWord, idOfName };
  }
}

/** Returns files by their names without and with directories, as they are shown; null: several have that name. */
function filesByName(files: readonly string[]): Map<string, string | null> {
  const known = new Map<string, string | null>();
  for (const file of files) {
    const short = visibleText(shortFileName(file));
    known.set(short, known.has(short) ? null : file);
  }
  for (const file of files) known.set(visibleText(file), file);
  return known;
}

/** Escapes what separates names, and the start of a name that would be a number. */
function escaped(name: string): string {
  return name.replace(/[%;]|^\d(?=[\d.]*$)/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`);
}

function nameAndTid(word: string): string[] {
  return unescaped(word).split(/-(?=\d+$)/);
}

function unescaped(word: string): string {
  return word.replace(/%([0-9a-f]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}

/**
 * Finds the functions that users name.
 */
import type { FunctionSet } from '../../../analysis/questions.js';
import { PtflameError } from '../../../model/errors.js';
import { SymbolKind, type SymbolTable, UNKNOWN_NAME } from '../../../model/symbol-table.js';
import { similarNames } from '../../../render/similar-names.js';
import { nameMatcher } from '../../../trace/records/thread-names.js';

/** Functions by their exact name, or all that match an expression; this includes names in brackets such as `[syscall]`. */
export type FunctionPattern = string | RegExp;

type NamesAndKinds = Pick<SymbolTable, 'name' | 'kind'>;

/**
 * An exact name selects the functions that have it; if there are none, those that have it without parameters and version:
 * `pthread_mutex_lock` selects `pthread_mutex_lock@@GLIBC_2.2.5`.
 *
 * @throws PtflameError NO_SUCH_FUNCTION or BAD_OPTION
 */
export function findFunctions(pattern: FunctionPattern, symbols: NamesAndKinds): FunctionSet {
  const found = typeof pattern === 'string' ? named(pattern, symbols) : matching(pattern, symbols);
  if (found.includes(1)) return found;
  throw new PtflameError('NO_SUCH_FUNCTION', `the trace has ${missingText(pattern)}`, {
    hint: `${similarText(pattern, symbols)}ptflame report --match REGEX lists the functions of a trace`,
  });
}

/** `[unknown]`, as perf prints it, selects all functions without a symbol. */
function named(name: string, { name: names, kind }: NamesAndKinds): FunctionSet {
  if (name === UNKNOWN_NAME) return Uint8Array.from(kind, (own) => (own === SymbolKind.Unknown ? 1 : 0));
  const exact = Uint8Array.from(names, (own) => (own === name ? 1 : 0));
  return exact.includes(1) ? exact : Uint8Array.from(names, (own) => (bareName(own) === name ? 1 : 0));
}

function matching(pattern: RegExp, { name }: NamesAndKinds): FunctionSet {
  const isFound = nameMatcher(pattern, name);
  return Uint8Array.from(name, (own) => (isFound(own) ? 1 : 0));
}

/** The name without parameters and version. */
function bareName(name: string): string {
  const at = name.search(/(?<!operator)\(|@/);
  return at > 0 ? name.slice(0, at) : name;
}

function missingText(pattern: FunctionPattern): string {
  return typeof pattern === 'string'
    ? `no function called ${pattern}`
    : `no function that matches ${patternText(pattern)}`;
}

/** Returns "did you mean A, B? " or an empty text. */
function similarText(pattern: FunctionPattern, { name }: NamesAndKinds): string {
  const similar = typeof pattern === 'string' ? similarNames(pattern, name.map(bareName)) : [];
  return similar.length === 0 ? '' : `did you mean ${similar.join(', ')}? `;
}

/** Returns the name, or `/expression/`. */
export function patternText(pattern: FunctionPattern): string {
  return typeof pattern === 'string' ? pattern : `/${pattern.source}/`;
}

/**
 * Finds the functions and events that users name.
 */
import type { FunctionSet } from '../../analysis/questions.js';
import { PtflameError } from '../../model/errors.js';
import type { SampleTable } from '../../model/sample-table.js';
import { NOT_PROBED, SymbolKind, type SymbolTable, UNKNOWN_NAME } from '../../model/symbol-table.js';
import { NONE } from '../../model/units.js';
import { similarNames } from '../../render/similar-names.js';
import { nameMatcher } from '../../trace/records/thread-names.js';

/** Functions by their exact name, or all that match an expression; this includes names in brackets such as `[syscall]`. */
export type FunctionPattern = string | RegExp;

type NamesAndKinds = Pick<SymbolTable, 'name' | 'kind'> & Partial<Pick<SymbolTable, 'dso'>>;

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
    hint: `${similarText(pattern, symbols)}${probedText(symbols) ?? 'ptflame report --match REGEX lists the functions of a trace'}`,
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

/** Returns which functions have calls, if probes show them; else null. */
function probedText({ name, dso }: NamesAndKinds): string | null {
  if (!name.includes(NOT_PROBED)) return null;
  const probed = name.filter((own, symbol) => (dso?.[symbol] ?? NONE) === NONE && !own.startsWith('['));
  return `it has calls that probes show: ${listed(probed)}; record --probe NAME=FILE:FUNCTION%calls adds others`;
}

/** Returns the name, or `/expression/`. */
export function patternText(pattern: FunctionPattern): string {
  return typeof pattern === 'string' ? pattern : `/${pattern.source}/`;
}

// Finds the events that users name: `push` or `probe_server:push`.

/** Returns null if there is none. @throws PtflameError BAD_OPTION if several events have the name */
export function findEvent(name: string, samples: readonly SampleTable[]): SampleTable | null {
  const found = eventsNamed(name, samples);
  if (found.length < 2) return found[0] ?? null;
  const names = found.map(({ event }) => event);
  throw new PtflameError('BAD_OPTION', `${name} is one of several events`, { hint: `choose one: ${names.join(', ')}` });
}

export function eventsNamed(name: string, samples: readonly SampleTable[]): SampleTable[] {
  return samples.filter(({ event }) => event === name || event.endsWith(`:${name}`));
}

/** perf's groups of probes are `probe` (of the kernel) and `probe_` with the name of a file. */
export function isProbe({ event }: SampleTable): boolean {
  return /^probe(_[^:]*)?:/.test(event);
}

/** Without those that perf adds, such as `__probe_ip`. */
export function argumentsOf({ fields }: SampleTable): string[] {
  return fields.map(({ name }) => name).filter((name) => !name.startsWith('__'));
}

/** `parse..reply`, but not `../src/parse.c:12` nor `print(char const*, ...)`. */
const SPAN = /^(.*[^./\s])\s*\.\.(?![./])\s*(.+)$/s;

/** Returns the names of the two events or places that a span is between; null: it is the name of something else. */
export function endsOfSpan(name: string): readonly [string, string] | null {
  const [, from, to] = SPAN.exec(name) ?? [];
  return from === undefined || to === undefined ? null : [from, to];
}

/** "it has a, b, and 3 more". */
export function eventsText(samples: readonly SampleTable[]): string {
  return samples.length > 0 ? `it has ${listed(samples.map(({ event }) => event))}` : 'it has no samples';
}

const MAX_LISTED = 12;

/** "a, b, and 3 more". */
function listed(names: readonly string[]): string {
  const others = names.length > MAX_LISTED ? `, and ${names.length - MAX_LISTED} more` : '';
  return names.slice(0, MAX_LISTED).join(', ') + others;
}

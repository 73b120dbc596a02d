/**
 * Random questions about the functions, times and durations in a list of calls.
 */
import fc from 'fast-check';
import type { AskedFunctions, ReferenceFilter } from '../twin/reference-answers.js';
import type { ReferenceThread } from '../twin/reference-calls.js';
import type { Decision } from './execution.js';

/** Few functions, so that they call themselves. Migration to another CPU takes time: equal times have no order. */
export function decisions({ ns }: { readonly ns: fc.Arbitrary<number> }): fc.Arbitrary<Decision> {
  const what = fc.constantFrom('call', 'call', 'call', 'return', 'return', 'tail', 'syscall', 'interrupt', 'migrate');
  const which = fc.oneof(fc.nat(3), fc.nat(2000));
  return fc.record({ what: what, which, ns }).map((decision) => {
    return decision.what === 'migrate' ? { ...decision, which: decision.which + 10 } : decision;
  });
}

/** What questions can refer to. */
export interface Askable {
  readonly functions: readonly string[];
  readonly timesNs: readonly number[];
  readonly durationsNs: readonly number[];
}

export function askableOf(threads: readonly ReferenceThread[]): Askable {
  const calls = threads.flatMap((thread) => thread.calls);
  const distinct = <Value>(values: readonly Value[]) => [...new Set(values)];
  return {
    functions: distinct(calls.map(({ fn }) => fn)),
    timesNs: distinct(calls.flatMap(({ startNs, endNs }) => [startNs, endNs])),
    durationsNs: distinct(calls.map(({ startNs, endNs }) => endNs - startNs)),
  };
}

/** Times of events, or 1 ns before or after. */
function momentOf({ timesNs }: Askable): fc.Arbitrary<number> {
  return fc
    .tuple(fc.constantFrom(...timesNs), fc.constantFrom(-1, 0, 0, 0, 1))
    .map(([ns, offsetNs]) => Math.max(0, ns + offsetNs));
}

function windowOf(askable: Askable): fc.Arbitrary<ReferenceFilter['window']> {
  const pair = fc.tuple(momentOf(askable), momentOf(askable));
  return pair.map(([a, b]) => ({ startNs: Math.min(a, b), endNs: Math.max(a, b) + (a === b ? 1 : 0) }));
}

export function askedFunctions({ functions, durationsNs }: Askable): fc.Arbitrary<AskedFunctions> {
  const bounds = fc
    .tuple(fc.constantFrom(0, ...durationsNs), fc.constantFrom(Infinity, ...durationsNs))
    .map(([a, b]) => ({ minNs: Math.min(a, b), maxNs: Math.max(a, b) }));
  return fc.record({ functions: someOf(functions), durations: fc.option(bounds) });
}

function someOf(functions: readonly string[]): fc.Arbitrary<ReadonlySet<string>> {
  return fc.array(fc.constantFrom(...functions), { minLength: 1, maxLength: 3 }).map((names) => new Set(names));
}

export function filters(askable: Askable): fc.Arbitrary<ReferenceFilter> {
  return fc.record({
    window: fc.option(windowOf(askable), { freq: 2 }),
    inside: fc.array(askedFunctions(askable), { maxLength: 2 }),
    root: fc.option(someOf(askable.functions), { freq: 2 }),
    foldsRecursion: fc.boolean(),
  });
}

export interface ReferenceQuestion {
  readonly filter: ReferenceFilter;
  readonly asked: AskedFunctions;
  readonly slowest: number;
  readonly atNs: number;
}

export function questions(askable: Askable): fc.Arbitrary<ReferenceQuestion> {
  return fc.record({
    filter: filters(askable),
    asked: askedFunctions(askable),
    slowest: fc.constantFrom(0, 1, 2, 5, 40),
    atNs: momentOf(askable),
  });
}

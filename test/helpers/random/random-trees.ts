/**
 * Random call trees of a few functions and stops: with recursion, stops in stops, and frames without time.
 */
import fc from 'fast-check';
import { type CallTree, CallTreeBuilder } from '../../../src/model/calls/call-tree.js';
import { Doubt } from '../../../src/model/calls/doubts.js';

/** Six special symbols, and as many functions. */
export const SYMBOLS = 12;

const node = fc.record({
  parent: fc.nat(60),
  symbol: fc.oneof(fc.integer({ min: 6, max: SYMBOLS - 1 }), fc.nat(SYMBOLS - 1)),
  ns: fc.constantFrom(0, 0, 1, 3, 10, 1000),
  calls: fc.array(fc.constantFrom(-1, -30, 0, 1, 20), { maxLength: 3 }), // below 0: inferred, known for 1 ns less
  isUnwound: fc.boolean(),
  isInferred: fc.boolean(),
});

/** Callers come before callees; the order is random otherwise. */
export const callTrees: fc.Arbitrary<CallTree> = fc.array(node, { maxLength: 40 }).map((nodes) => {
  const builder = new CallTreeBuilder();
  for (const { parent, symbol, ns, calls, isInferred, isUnwound } of nodes) {
    const here = builder.child(parent % builder.length, symbol);
    builder.charge(here, ns, isInferred ? Doubt.AfterLoss : Doubt.None);
    for (const took of calls) {
      if (took < 0) builder.countInferred(here, -1 - took);
      else if (isUnwound) builder.countUnwound(here, took);
      else builder.countComplete(here, took);
    }
  }
  return builder.build();
});

export const functionSets: fc.Arbitrary<Uint8Array> = fc
  .array(fc.constantFrom(0, 0, 1), { minLength: SYMBOLS, maxLength: SYMBOLS })
  .map((flags) => Uint8Array.from(flags));

export function sum(values: Iterable<number>): number {
  let all = 0;
  for (const value of values) all += value;
  return all;
}

/** The symbols from the node to the root, without the root. */
export function chainOf({ parent, symbol }: Pick<CallTree, 'parent' | 'symbol'>, node: number): number[] {
  const chain: number[] = [];
  for (let at = node; at > 0; at = parent[at]) chain.push(symbol[at]);
  return chain;
}

/**
 * Calls by place: for each function, what it calls and its own time add up to what the call tree has, for any trace.
 */
import { describe, expect, test } from 'vitest';
import { placedCalls } from '../../../src/analysis/log/placed-calls.js';
import { isStop } from '../../../src/analysis/tree/outside.js';
import { madeAt } from '../../../src/model/calls/call-log.js';
import { type CallTree, ROOT } from '../../../src/model/calls/call-tree.js';
import { totalTimes } from '../../../src/model/calls/tree-view.js';
import { NONE, type SymbolId, UNBOUNDED } from '../../../src/model/units.js';
import { forLogs } from '../../helpers/traces/for-logs.js';
import { inputOf } from '../../helpers/traces/load.js';
import { type TraceThreads, threadsOfBeginning, threadsOfInput } from '../../helpers/traces/threads-of.js';
import { traceOf } from '../../helpers/traces/trace-of.js';

/** By function and callee: calls; by function: time. Of a recursion, of the lowest call. */
function sumsOf(tree: CallTree) {
  const { length, parent, symbol, calls } = tree;
  const total = totalTimes(tree);
  const ns = new Map<SymbolId, number>();
  const counts = new Map<string, number>();
  const isLowest = (node: number) => {
    for (let at = parent[node]; at !== ROOT; at = parent[at]) if (symbol[at] === symbol[node]) return false;
    return true;
  };
  for (let node = ROOT + 1; node < length; node++) {
    const caller = parent[node];
    if (caller !== ROOT && isLowest(caller) && !isStop(symbol[caller]) && calls[node] > 0) {
      const key = `${symbol[caller]} ${symbol[node]}`;
      counts.set(key, (counts.get(key) ?? 0) + calls[node]);
    }
    if (isLowest(node) && !isStop(symbol[node]) && total[node] > 0)
      ns.set(symbol[node], (ns.get(symbol[node]) ?? 0) + total[node]);
  }
  return { ns, counts };
}

function expectSums(trace: TraceThreads): number {
  let known = 0;
  forLogs(trace, (log, tree) => {
    const ns = new Map<SymbolId, number>();
    const counts = new Map<string, number>();
    for (const row of placedCalls(log, tree, UNBOUNDED)) {
      if (row.ns > 0) ns.set(row.caller, (ns.get(row.caller) ?? 0) + row.ns);
      const key = `${row.caller} ${row.callee}`;
      if (row.calls > 0) counts.set(key, (counts.get(key) ?? 0) + row.calls);
      if (row.place === NONE || row.callee === NONE) continue;
      known += row.calls;
      const { site, isReturn } = madeAt(row.place);
      const fn = (isReturn ? trace.facts.toFunction : trace.facts.fromFunction)[site];
      expect([trace.facts.functions.symbol[fn], row.calls > 0 || row.ns >= 0]).toEqual([row.caller, true]);
    }
    const sums = sumsOf(tree);
    expect(ns).toEqual(sums.ns);
    expect(counts).toEqual(sums.counts);
  });
  return known;
}

describe('placed calls', () => {
  test.each([
    'fixtures/demo/threads.perf.txt.gz',
    'fixtures/hardware/kernel-hwint-syscall.txt',
    'fixtures/hardware/overflow-tailcalls.txt',
    'fixtures/hardware/ocaml-raise-jmp.txt',
    'fixtures/hardware/go-gogo-switch.txt',
  ])('add up in %s', async (path) => {
    expect(expectSums(await threadsOfBeginning(path))).toBeGreaterThan(0);
  });

  test('a recursion counts once, and own time is that before each call', async () => {
    const trace = await threadsOfInput(
      inputOf(
        traceOf(`
    10  call    main  f
    20  call    f     f
    40  return  f          f
    70  call    f     g
   110  return  g          f
   160  return  f          main
   230  call    main  f
   240  return  f          main`),
      ),
    );
    const name = (symbol: SymbolId) => trace.symbols.name[symbol] ?? 'itself';
    forLogs(trace, (log, tree) => {
      const placed = placedCalls(log, tree, UNBOUNDED);
      const places = [...new Set(placed.map(({ place }) => place))].sort((a, b) => a - b);
      const at = (place: number) => (place === NONE ? '' : ` at ${places.indexOf(place)}`);
      const rows = placed.map(
        ({ caller, callee, place, calls, ns }) => `${name(caller)}${at(place)}: ${calls} ${name(callee)} ${ns}`,
      );
      expect(rows.sort()).toEqual([
        'f at 2: 0 itself 10',
        'f at 2: 1 f 20',
        'f at 3: 0 itself 30',
        'f at 3: 1 g 40',
        'f: 0 itself 60',
        'g: 0 itself 40',
        'main at 1: 1 f 150',
        'main at 4: 0 itself 70',
        'main at 4: 1 f 10',
      ]);
    });
  });
});

/**
 * Makes up a profile with as many call paths as wanted: more than the traces of the benchmark have.
 */
import type { CallTree } from '../../src/model/calls/call-tree.js';
import type { Profile } from '../../src/model/profile/profile.js';
import { SymbolKind } from '../../src/model/symbol-table.js';

const THREADS = 8;
const FILES = 40;
const MAX_DEPTH = 40;
/** A path goes on from one of the last ones. */
const NEAR = 40;
const MAX_NS = 100_000;
const STOPS = ['[syscall]', '[untraced]', '[off-cpu]', '[preempted]', '[lost]'];

/** The same profile in each run. `functions`: how many call each other. */
export function madeUpProfile(paths: number, functions = 20_000): Profile {
  const random = randomNumbers();
  const threads = Array.from({ length: THREADS }, (_, row) => {
    return { ...THREAD, tid: row + 1, tree: treeOf(Math.ceil(paths / THREADS), functions, random) };
  });
  return { meta: META, symbols: symbolTable(functions), threads, together: null, durations: null, quality: QUALITY };
}

function symbolTable(count: number): Profile['symbols'] {
  const functions = Array.from({ length: count }, (_, row) => `ns::class_${row}::method_${row}(int, char const*)`);
  const first = ['[unknown]', ...STOPS];
  return {
    length: first.length + count,
    name: [...first, ...functions],
    kind: [SymbolKind.Unknown, ...STOPS.map(() => SymbolKind.Synthetic), ...functions.map(() => SymbolKind.Function)],
    dso: [...first.map(() => -1), ...functions.map((_, row) => row % FILES)],
    dsoName: Array.from({ length: FILES }, (_, row) => `/usr/lib/lib${row}.so`),
  };
}

/** Each path has one call. */
function treeOf(paths: number, functions: number, random: (below: number) => number): CallTree {
  const [parent, symbol, depth] = [new Int32Array(paths + 1), new Int32Array(paths + 1), new Int32Array(paths + 1)];
  [parent[0], symbol[0]] = [-1, -1];
  const known = new Set<number>();
  for (let node = 1; node <= paths; ) {
    const near = Math.max(0, node - 1 - random(NEAR));
    const caller = depth[near] < MAX_DEPTH ? near : 0;
    const called = random(functions);
    if (known.has(caller * functions + called)) continue;
    known.add(caller * functions + called);
    [parent[node], symbol[node], depth[node]] = [caller, STOPS.length + 1 + called, depth[caller] + 1];
    node++;
  }
  const selfNs = new Float64Array(paths + 1).map((_, node) => (node === 0 ? 0 : random(MAX_NS)));
  const calls = new Float64Array(paths + 1).fill(1, 1);
  const zeros = new Float64Array(paths + 1);
  const sums = { completeNs: selfNs, minNs: selfNs, maxNs: selfNs };
  const inferred = { inferredCalls: zeros, inferredNs: zeros, unwoundCalls: zeros, longestCutNs: zeros };
  return { length: paths + 1, parent, symbol, calls, selfNs, ...sums, ...inferred };
}

/** Returns a generator of whole numbers from 0, below a bound (mulberry32). */
function randomNumbers(): (below: number) => number {
  let state = 1;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below);
  };
}

const TIMES = { startNs: 0, endNs: 1e9 };
const THREAD = { ...TIMES, pid: 1, comm: 'made-up', durations: null, hiddenNs: 0 };
const META: Profile['meta'] = {
  ...TIMES,
  ...{ originNs: 0n, scope: 'user', weight: 'ns', hasSwitches: true, part: null, recorded: null },
};
const QUALITY: Profile['quality'] = {
  ...{ lines: 0, events: 0, gapLines: 0, ignoredLines: 0, damagedLines: 0, unknownFlagLines: 0 },
  ...{ firstDamaged: [], brokenInputs: [], losses: [], gaps: [], unknownFlags: [] },
  ...{ threadsCut: 0, inferredEvents: 0, clockSteps: 0 },
  inferredCalls: { OpenAtStart: 0, OpenAtEnd: 0, CutByGap: 0, Unwound: 0, HiddenJump: 0 },
  ...{ lostNs: 0, inferredNs: 0, hiddenNs: 0, unknownNs: 0, totalNs: 0 },
};

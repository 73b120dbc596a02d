/**
 * Makes what one thread did on the call paths of a program.
 */
import type { CallTree } from '../../src/model/calls/call-tree.js';
import type { ThreadProfile } from '../../src/model/profile/profile.js';
import type { Random } from '../generator/random.js';
import { type CallPaths, OFF_CPU, SPECIAL_NAMES, SYSCALL, spread } from './call-paths.js';
import { DurationCounts } from './duration-counts.js';

const POOLS = ['worker', 'worker', 'worker', 'reader', 'compactor', 'io'];
/** One in this many paths has an inferred call; one in this many has only inferred calls. */
const ONE_INFERRED_IN = 40;
const ALL_INFERRED_IN = 120;
/** Many threads lack the least called paths: this share of all. */
const RARE_SHARE = 0.35;

/** Most work is far from the root: time per call grows by this factor per level, up to this depth. */
const LEVEL_FACTOR = 1.4;
const LEVEL_FACTOR_DEPTH = 25;

/** `isOnly`: the only thread of the program, with all paths. */
export function makeThread(paths: CallPaths, tid: number, isOnly: boolean, random: Random): ThreadProfile {
  const { rows, tree } = calledPaths(paths, isOnly, random);
  const counts = new DurationCounts();
  const { length, calls, inferredCalls, selfNs } = tree;
  for (let node = 1; node < length; node++) {
    const { selfNs: middleNs } = paths.functions[tree.symbol[node]];
    const deeper = LEVEL_FACTOR ** Math.min(LEVEL_FACTOR_DEPTH, paths.depth[rows[node]]);
    selfNs[node] = Math.round(calls[node] * middleNs * deeper * spread(random, 0.4));
    if (node < 3 || random.below(ALL_INFERRED_IN) === 0) inferredCalls[node] = calls[node];
    else if (random.below(ONE_INFERRED_IN) === 0) inferredCalls[node] = 1;
    if (random.below(ONE_INFERRED_IN) === 0) tree.inferredNs[node] = Math.round(selfNs[node] / 3);
  }
  const totalNs = selfNs.slice();
  for (let node = length - 1; node > 0; node--) totalNs[tree.parent[node]] += totalNs[node];
  for (let node = 1; node < rows.length; node++) measureCalls(tree, totalNs, node, counts, random);
  const startNs = random.below(1e6);
  return {
    tid,
    pid: 113_990,
    comm: isOnly ? 'main' : random.pick(POOLS),
    startNs,
    endNs: startNs + totalNs[0],
    tree,
    durations: counts.build(),
    hiddenNs: 0,
  };
}

/** A thread that only waits. */
export function makeIdleThread(tid: number): ThreadProfile {
  const first = SPECIAL_NAMES.length;
  const waits = [first, first + 1, first + 6, SYSCALL, OFF_CPU]; // clone3 → start_thread → futex → [syscall] → [off-cpu]
  const tree = emptyTree(waits.length + 1);
  waits.forEach((symbol, at) => {
    tree.parent[at + 1] = at;
    tree.symbol[at + 1] = symbol;
    tree.calls[at + 1] = 1;
    tree.inferredCalls[at + 1] = 1;
  });
  const endNs = 400e6;
  tree.selfNs[waits.length] = endNs;
  return {
    tid,
    pid: 113_990,
    comm: 'idle',
    startNs: 0,
    endNs,
    tree,
    durations: new DurationCounts().build(),
    hiddenNs: 0,
  };
}

/** Drops rarely called paths at random, and everything below a dropped caller. */
function calledPaths(paths: CallPaths, isOnly: boolean, random: Random): { rows: number[]; tree: CallTree } {
  const scale = (isOnly ? 2 : spread(random, 0.5)) / rareCalls(paths.calls);
  const nodeOf = new Int32Array(paths.parent.length).fill(-1);
  const rows = [0];
  const counts = [0];
  nodeOf[0] = 0;
  for (let row = 1; row < nodeOf.length; row++) {
    if (nodeOf[paths.parent[row]] === -1) continue;
    const expected = paths.calls[row] * scale * spread(random, 0.6);
    const calls = row < 3 || isOnly ? Math.max(1, Math.round(expected)) : Math.floor(expected + random.share());
    if (calls === 0) continue;
    nodeOf[row] = rows.push(row) - 1;
    counts.push(row < 3 ? 1 : calls);
  }
  const tree = emptyTree(rows.length);
  for (let node = 1; node < rows.length; node++) {
    const row = rows[node];
    tree.parent[node] = nodeOf[paths.parent[row]];
    tree.symbol[node] = paths.symbol[row];
    tree.calls[node] = counts[node];
  }
  return { rows, tree };
}

function rareCalls(calls: readonly number[]): number {
  const ordered = Float64Array.from(calls).sort();
  return ordered[Math.floor(RARE_SHARE * ordered.length)];
}

function emptyTree(length: number): CallTree {
  const zeros = () => new Float64Array(length);
  return {
    length,
    parent: new Int32Array(length).fill(-1),
    symbol: new Int32Array(length).fill(-1),
    calls: zeros(),
    inferredCalls: zeros(),
    selfNs: zeros(),
    inferredNs: zeros(),
    unwoundCalls: zeros(),
    completeNs: zeros(),
    longestCutNs: zeros(),
    minNs: zeros().fill(Number.POSITIVE_INFINITY),
    maxNs: zeros().fill(Number.NEGATIVE_INFINITY),
  };
}

/** Makes up how long the complete calls of a path took. */
function measureCalls(
  tree: CallTree,
  totalNs: Float64Array,
  node: number,
  counts: DurationCounts,
  random: Random,
): void {
  const [calls, total] = [tree.calls[node], totalNs[node]];
  const complete = calls - tree.inferredCalls[node];
  if (complete === 0) return;
  const completeNs = complete === calls ? total : Math.floor((total * complete) / calls);
  const averageNs = completeNs / complete;
  const minNs = complete === 1 ? completeNs : Math.floor(averageNs * random.share());
  const longest = complete === 1 ? completeNs : completeNs - (complete - 1) * minNs;
  const maxNs =
    complete === 2
      ? completeNs - minNs
      : Math.min(longest, Math.ceil(averageNs * (1 + 2 * random.share() ** 3 * Math.log2(complete))));
  tree.completeNs[node] = completeNs;
  tree.minNs[node] = minNs;
  tree.maxNs[node] = Math.max(maxNs, Math.ceil(averageNs));
  counts.add(tree.symbol[node], minNs, tree.maxNs[node], averageNs, complete, random);
}

/**
 * Checks what holds for every profile, whatever the trace: nothing is lost, counted twice, negative or infinite.
 */
import assert from 'node:assert/strict';
import type { CallTree } from '../../src/model/calls/call-tree.js';
import type { Profile, Quality, ThreadProfile, TraceMeta } from '../../src/model/profile/profile.js';
import { idleCpu } from '../../src/model/units.js';
import { expectEveryLineCounted } from './check-parser.js';

const MAX_DAMAGED = 10;
const MAX_LOSSES = 65;
const MAX_GAPS = 10_000;
const MAX_FLAG_WORDS = 100;

export function checkProfile({ meta, threads, quality }: Profile): void {
  assert(meta.endNs >= meta.startNs, 'the recording ends before it begins');
  for (const thread of threads) checkThread(thread, meta);
  checkQuality(quality, meta);
}

function checkThread({ tid, comm, tree, startNs, endNs }: ThreadProfile, meta: TraceMeta): void {
  assert(endNs >= startNs, `thread ${tid} ends before it begins`);
  const selfNs = tree.selfNs.reduce((sum, ns) => sum + ns, 0);
  const observedNs = idleCpu(tid, comm) === null ? endNs - startNs : Math.min(selfNs, endNs - startNs); // only while it works
  if (meta.weight === 'ns') expectSameNs(selfNs, observedNs, meta, `self times of thread ${tid}`);
  for (let node = 0; node < tree.length; node++) checkNode(tree, node);
}

/** Exact, except if a garbled clock makes times that a double cannot hold: no recording lasts 104 days. */
export function expectSameNs(actual: number, expected: number, { startNs, endNs }: TraceMeta, what: string): void {
  const largest = Math.max(-startNs, endNs, expected);
  const tolerance = largest < Number.MAX_SAFE_INTEGER ? 0 : largest * 1e-9;
  assert(Math.abs(actual - expected) <= tolerance, `${what}: ${actual} instead of ${expected}`);
}

function checkNode(tree: CallTree, node: number): void {
  const { selfNs, calls, inferredCalls, inferredNs, completeNs, minNs, maxNs } = tree;
  const measured = { selfNs, calls, inferredCalls, inferredNs, completeNs };
  for (const [name, column] of Object.entries(measured))
    assert(Number.isFinite(column[node]) && (column[node] as number) >= 0, `${name} of node ${node}: ${column[node]}`);
  assert((inferredCalls[node] as number) <= (calls[node] as number), `node ${node}: more inferred calls than calls`);
  assert((inferredNs[node] as number) <= (selfNs[node] as number), `node ${node}: more inferred time than time`);
  if (calls[node] === inferredCalls[node])
    assert.equal(minNs[node], Number.POSITIVE_INFINITY, `node ${node}: a minimum without complete calls`);
  else
    assert((minNs[node] as number) >= 0 && (minNs[node] as number) <= (maxNs[node] as number), `node ${node}: range`);
}

function checkQuality(quality: Quality, meta: TraceMeta): void {
  const { firstDamaged, losses, gaps, unknownFlags, lostNs, totalNs, inferredNs, unknownNs } = quality;
  expectEveryLineCounted(quality);
  assert(firstDamaged.length <= MAX_DAMAGED && firstDamaged.length <= quality.damagedLines, 'damaged lines listed');
  assert(losses.length <= MAX_LOSSES && gaps.length <= MAX_GAPS, 'losses and gaps listed');
  assert(unknownFlags.length <= MAX_FLAG_WORDS && unknownFlags.length <= quality.unknownFlagLines, 'flag words listed');
  for (const ns of [lostNs, totalNs, inferredNs, unknownNs])
    assert(ns >= 0 && ns < Number.POSITIVE_INFINITY, `${ns} ns`);
  for (const ns of [lostNs, inferredNs, unknownNs]) expectSameNs(Math.max(ns, totalNs), totalNs, meta, 'total time');
  for (const gap of gaps) assert(gap.lengthNs >= 0, `a gap of ${gap.lengthNs} ns`);
  const lostInKinds = losses.reduce((sum, loss) => sum + loss.lostNs, 0);
  expectSameNs(lostInKinds, lostNs, meta, 'lost time by cause');
}

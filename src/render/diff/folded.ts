/**
 * Writes a comparison as folded stacks with two numbers, as difffolded.pl does: `a;b;c 19 23`, for flamegraph.pl.
 */
import { ROOT } from '../../model/calls/call-tree.js';
import { viewOf } from '../../model/calls/tree-view.js';
import type { NodeId } from '../../model/units.js';
import { bytesOfNames, bytesOfPaths, cleanNames } from '../folded.js';
import type { Comparison } from './comparison.js';

/** Estimates the size of the lines. */
export function diffFoldedBytes({ before, after, names }: Comparison): number {
  const nameBytes = bytesOfNames(names.map(({ name }) => name));
  return bytesOfPaths(before, nameBytes, (node) => before.selfNs[node] + after.selfNs[node] > 0);
}

/** Yields a line for each path with time of its own on either side, in whole nanoseconds: before, then after. */
export function* renderDiffFolded({ before, after, names, scales }: Comparison): Generator<string> {
  const clean = cleanNames({ name: names.map(({ name }) => name) }).functions;
  const { depth } = viewOf(before);
  const path: string[] = [];
  for (let node: NodeId = ROOT + 1; node < before.length; node++) {
    path.length = depth[node] - 1;
    path.push(clean[before.symbol[node]] as string);
    const [old, now] = [before.selfNs[node] * scales.before, after.selfNs[node] * scales.after].map(Math.round);
    if (old !== 0 || now !== 0) yield `${path.join(';')} ${old} ${now}\n`;
  }
}

/**
 * Finds the frames that match a search, and their share of the time.
 */

import { NONE, type NodeId } from '../../model/units.js';
import { formatCount, formatMany, formatShare } from '../format.js';
import { type FrameTable, subtreeEnd, subtreeSums } from '../frames/frame-table.js';
import { type Boxes, BoxKind } from '../layout/layout.js';
import { compilePattern } from './pattern.js';
import { MAX_WORK, PatternRun } from './pattern-run.js';

export interface FoundFrames {
  readonly isMatch: Float64Array; // 1 or 0
  /** Number of matches in the subtree. */
  readonly matches: Float64Array;
}

/** The names that match a search. */
export interface NameMatches {
  /** By name; null if the search is empty or invalid. */
  readonly isMatch: readonly boolean[] | null;
  /** Why the search is invalid; empty if it is valid. */
  readonly problem: string;
}

/** Matches text, ignoring case, or a regular expression between slashes. The time is bounded for any pattern (`pattern-run.ts`). */
export function matchNames(names: readonly string[], search: string): NameMatches {
  if (search === '') return { isMatch: null, problem: '' };
  const [, source] = /^\/(.+)\/$/.exec(search) ?? [];
  if (source === undefined) {
    const wanted = search.toLowerCase();
    return { isMatch: names.map((name) => name.toLowerCase().includes(wanted)), problem: '' };
  }
  const program = compilePattern(source);
  if (typeof program === 'string') return { isMatch: null, problem: program };
  const run = new PatternRun(program);
  const isMatch = names.map((name) => run.test(name));
  return run.work > MAX_WORK ? { isMatch: null, problem: 'expression too complex' } : { isMatch, problem: '' };
}

/** Finds the matching frames; those without width are excluded. */
export function findFrames({ tree, total }: FrameTable, isMatchingName: readonly boolean[]): FoundFrames {
  const isMatch = new Float64Array(tree.length);
  for (let node = 0; node < tree.length; node++)
    if (isMatchingName[tree.symbol[node]] && total[node] > 0) isMatch[node] = 1; // the root has no name
  return { isMatch, matches: subtreeSums(tree, isMatch) };
}

/** Whether a box matches; a block does if any frame in it does. */
export function isBoxFound(
  { nextSibling }: FrameTable,
  { isMatch, matches }: FoundFrames,
  boxes: Boxes,
  box: number,
): boolean {
  const { kind, node, lastNode } = boxes;
  if (kind[box] === BoxKind.Frame) return isMatch[node[box]] === 1;
  for (let at = node[box]; at !== NONE; at = at === lastNode[box] ? NONE : nextSibling[at])
    if (matches[at] > 0) return true;
  return false;
}

export interface FoundShare {
  readonly frames: number;
  /** Weight of the matches and their subtrees; nested matches count once. */
  readonly weight: number;
  /** Weight of frames that are not in the file and so cannot be searched. */
  readonly unknownWeight: number;
}

/** Returns the share of matches in siblings and their subtrees. */
export function foundShare(table: FrameTable, { isMatch }: FoundFrames, first: NodeId, last: NodeId): FoundShare {
  const { total, parent, omitted } = table;
  const isCovered = new Uint8Array(table.tree.length);
  const share = { frames: 0, weight: 0, unknownWeight: 0 };
  const end = subtreeEnd(table, last);
  for (let node = first; node < end; node++) {
    const isBelow = parent[node] !== NONE && isCovered[parent[node]] === 1; // callers of the siblings are not covered
    share.frames += isMatch[node];
    if (!isBelow && isMatch[node]) share.weight += total[node];
    if (!isBelow && omitted[node] > 0) share.unknownWeight += total[node];
    isCovered[node] = isBelow || isMatch[node] ? 1 : 0;
  }
  return share;
}

/**
 * Returns "12 frames, 34 % of view", "12 frames, 3 in view, 34 % of view" or "5 of 12, 34 % of view".
 *
 * `viewTotal`: weight of what fills the width. `all`: number of all matches. `rank`: the current match, from 1; null if none.
 */
export function foundText(share: FoundShare, viewTotal: number, all: number, rank: number | null = null): string {
  const { frames, weight, unknownWeight } = share;
  const count = rank === null ? [formatMany(all, 'frame')] : [`${formatCount(rank)} of ${formatCount(all)}`];
  const inView = frames === all || rank !== null ? [] : [`${formatCount(frames)} in view`];
  return [...count, ...inView, `${unknownWeight > 0 ? '≥ ' : ''}${formatShare(weight, viewTotal)} of view`].join(', ');
}

/**
 * Which frames a search finds, and how much of the time is theirs.
 */
import { type Boxes, BoxKind } from '../../layout/layout.js';
import { NONE, type NodeId } from '../../model/units.js';
import { formatCount, formatMany, formatShare } from '../format.js';
import { type FrameTable, subtreeEnd, subtreeSums } from './frame-table.js';
import { compilePattern } from './pattern.js';
import { MAX_WORK, PatternRun } from './pattern-run.js';

export interface FoundFrames {
  readonly isMatch: Float64Array; // 1 or 0
  /** How many matches there are in a node and below it. */
  readonly matches: Float64Array;
}

/** Which names a search is for. */
export interface NameMatches {
  /** By name; null: it asks for nothing, or cannot be done. */
  readonly isMatch: readonly boolean[] | null;
  /** Why it cannot be done; empty: it can. */
  readonly problem: string;
}

/** Text in any case, or a regular expression between slashes: no name and no expression can keep it busy (`pattern-run.ts`). */
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
  return run.work > MAX_WORK ? { isMatch: null, problem: 'too complex an expression' } : { isMatch, problem: '' };
}

/** A frame without any width is none that can be found. */
export function findFrames({ tree, total }: FrameTable, isMatchingName: readonly boolean[]): FoundFrames {
  const isMatch = new Float64Array(tree.length);
  for (let node = 0; node < tree.length; node++)
    if (isMatchingName[tree.symbol[node]] && total[node] > 0) isMatch[node] = 1; // the root has no name
  return { isMatch, matches: subtreeSums(tree, isMatch) };
}

/** A block is found if anything in it is. */
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
  /** Of matched frames with all below them; a match below a match does not count again. */
  readonly weight: number;
  /** Of frames that are not in the file, and so are not searched. */
  readonly unknownWeight: number;
}

/** In a run of siblings and all below. */
export function foundShare(table: FrameTable, { isMatch }: FoundFrames, first: NodeId, last: NodeId): FoundShare {
  const { total, parent, omitted } = table;
  const isCovered = new Uint8Array(table.tree.length);
  const share = { frames: 0, weight: 0, unknownWeight: 0 };
  const end = subtreeEnd(table, last);
  for (let node = first; node < end; node++) {
    const isBelow = parent[node] !== NONE && isCovered[parent[node]] === 1; // callers of the run are not covered
    share.frames += isMatch[node];
    if (!isBelow && isMatch[node]) share.weight += total[node];
    if (!isBelow && omitted[node] > 0) share.unknownWeight += total[node];
    isCovered[node] = isBelow || isMatch[node] ? 1 : 0;
  }
  return share;
}

/**
 * "12 frames, 34 % of view"; "12 frames, 3 in view, 34 % of view"; "5 of 12, 34 % of view".
 *
 * `ofView`: the weight of what fills the width. `all`: how many there are in all. `place`: the one that the reader is at; null: none yet.
 */
export function foundText(share: FoundShare, ofView: number, all: number, place: number | null = null): string {
  const { frames, weight, unknownWeight } = share;
  const count = place === null ? [formatMany(all, 'frame')] : [`${formatCount(place)} of ${formatCount(all)}`];
  const inView = frames === all || place !== null ? [] : [`${formatCount(frames)} in view`];
  return [...count, ...inView, `${unknownWeight > 0 ? '≥ ' : ''}${formatShare(weight, ofView)} of view`].join(', ');
}

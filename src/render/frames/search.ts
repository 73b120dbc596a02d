/**
 * Which frames a search finds, and how much of the time is theirs.
 */
import { type Boxes, BoxKind } from '../../layout/layout.js';
import { NONE, type NodeId } from '../../model/units.js';
import { formatMany } from '../format.js';
import { formatShare } from './facts.js';
import { endOf, type FrameTable, summedUp } from './frame-table.js';

export interface Found {
  readonly isMatch: Float64Array; // 1 or 0
  /** How many matches there are in a node and below it. */
  readonly matches: Float64Array;
}

/** Text in any case, or a regular expression between slashes; null if it is none. */
export function matcherOf(search: string): ((name: string) => boolean) | null {
  const [, source] = /^\/(.+)\/$/.exec(search) ?? [];
  if (source === undefined) {
    const wanted = search.toLowerCase();
    return (name) => name.toLowerCase().includes(wanted);
  }
  const pattern = patternOf(source, 'iu') ?? patternOf(source, 'i'); // the newer syntax refuses needless backslashes
  return pattern && ((name) => pattern.test(name));
}

function patternOf(source: string, flags: string): RegExp | null {
  try {
    return new RegExp(source, flags);
  } catch {
    return null;
  }
}

export function find({ tree, names }: FrameTable, matches: (name: string) => boolean): Found {
  const isMatchingName = names.map(matches);
  const isMatch = Float64Array.from(tree.symbol, (symbol) => (symbol !== NONE && isMatchingName[symbol] ? 1 : 0));
  return { isMatch, matches: summedUp(tree, isMatch) };
}

/** A block is found if anything in it is. */
export function isFoundIn(
  { nextSibling }: FrameTable,
  { isMatch, matches }: Found,
  boxes: Boxes,
  box: number,
): boolean {
  const { kind, node, lastNode } = boxes;
  if (kind[box] === BoxKind.Frame) return isMatch[node[box]] === 1;
  for (let at = node[box]; at !== NONE; at = at === lastNode[box] ? NONE : nextSibling[at])
    if (matches[at] > 0) return true;
  return false;
}

export interface Share {
  readonly frames: number;
  /** Of matched frames with all below them; a match below a match does not count again. */
  readonly weight: number;
  /** Of frames that are not in the file, and so are not searched. */
  readonly unknownWeight: number;
}

/** In a run of siblings and all below. */
export function shareOf(table: FrameTable, { isMatch }: Found, first: NodeId, last: NodeId): Share {
  const { total, parent, omitted } = table;
  const isCovered = new Uint8Array(table.tree.length);
  const share = { frames: 0, weight: 0, unknownWeight: 0 };
  const end = endOf(table, last);
  for (let node = first; node < end; node++) {
    const isBelow = parent[node] !== NONE && isCovered[parent[node]] === 1; // callers of the run are not covered
    share.frames += isMatch[node];
    if (!isBelow && isMatch[node]) share.weight += total[node];
    if (!isBelow && omitted[node] > 0) share.unknownWeight += total[node];
    isCovered[node] = isBelow || isMatch[node] ? 1 : 0;
  }
  return share;
}

/** "12 frames, 34 % of view"; `ofView`: the weight of what fills the width. */
export function foundText({ frames, weight, unknownWeight }: Share, ofView: number): string {
  const share = formatShare(weight, ofView);
  return `${formatMany(frames, 'frame')}, ${unknownWeight > 0 ? '≥ ' : ''}${share} of view`;
}

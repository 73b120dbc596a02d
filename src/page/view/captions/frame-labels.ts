/**
 * Labels the frames of the page: `handle_request  8 × 10.9 ms`, and where there is room, at the right end, total and share.
 */
import { formatAtLeast, formatCount, formatDuration, formatShare } from '../../../render/format.js';
import { isStop } from '../../../render/frames/colours.js';
import { texturesOf, type Wording } from '../../../render/frames/drawing.js';
import { formatWeight, isBlock, labelOf } from '../../../render/frames/frame-details.js';
import { type FrameTable, familyOfNode } from '../../../render/frames/frame-table.js';
import type { Labels } from '../state.js';
import { averageOf } from './counts.js';

/** Numbers are set apart from the name, which may have points and brackets of its own. */
const SEPARATOR = '  ';

/** By what is chosen. The same objects each time: another one draws the graph again. */
export const WORDINGS: Readonly<Record<Labels, Wording>> = {
  calls: wordingOf(callsText, totalText),
  total: wordingOf(() => '', totalText),
  names: wordingOf(
    () => '',
    () => '',
  ),
};

type NodeText = (table: FrameTable, node: number) => string;

function wordingOf(after: NodeText, end: NodeText): Wording {
  return {
    labelOf: (table, boxes, box) => {
      const { name } = labelOf(table, boxes, box);
      if (isBlock(table, boxes, box)) return { name, numbers: [] };
      const node = boxes.node[box] as number;
      const text = after(table, node);
      return { name, numbers: text === '' ? [] : [text], separator: SEPARATOR, end: end(table, node) };
    },
    texturesOf,
  };
}

/** Returns "460 ms 73.4 %". */
function totalText({ total, weight }: FrameTable, node: number): string {
  return `${formatWeight(total[node], weight)}${SEPARATOR}${formatShare(total[node], total[0])}`;
}

/** Returns "8 × 10.9 ms", "5* × ≥ 10 ms" if calls are inferred; "8 ×" if nothing is known of the time; empty: no calls. */
export function callsText(table: FrameTable, node: number): string {
  const { tree, weight } = table;
  const calls = tree.calls[node];
  if (calls === 0 || table.isOfWaits || familyOfNode(table, node) === 'group') return '';
  const count = `${formatCount(calls)}${tree.inferredCalls[node] > 0 ? '*' : ''} ×`;
  return weight === 'calls' ? count : [count, ...averageText(table, node)].join(' ');
}

/** The same average as in the table. None if it would contradict the total: calls are whole, of which something is hidden. */
function averageText(table: FrameTable, node: number): string[] {
  const { tree } = table;
  const [calls, inferred] = [tree.calls[node], tree.inferredCalls[node]];
  // the longest stops are usually inferred: a bound over the others would be misleading
  if (isStop(familyOfNode(table, node)) && inferred > 0 && inferred < calls) return [];
  const totalNs = table.self === tree.selfNs ? table.total[node] : null;
  const avgNs = tree.completeNs[node] / (calls - inferred);
  const { ns, isAtLeast } = averageOf({
    calls,
    inferred,
    totalNs: totalNs ?? 0,
    avgNs,
    longestCutNs: tree.longestCutNs[node],
  });
  if (Number.isNaN(ns) || (totalNs !== null && calls * ns > MOST_OF_TOTAL * totalNs)) return [];
  return [isAtLeast ? formatAtLeast(Math.floor(ns)) : formatDuration(ns)];
}

/** Calls that are set aside meanwhile, and rounding, take less. */
const MOST_OF_TOTAL = 1.01;

/**
 * Labels the frames of the page: `handle_request  8 × 10.9 ms`, and where there is room, at the right end, total and share.
 */
import { formatAtLeast, formatCount, formatDuration, formatShare } from '../../../render/format.js';
import { isStop } from '../../../render/frames/colours.js';
import { texturesOf, type Wording } from '../../../render/frames/drawing.js';
import { formatWeight, isBlock, labelOf } from '../../../render/frames/frame-details.js';
import { type FrameTable, familyOfNode } from '../../../render/frames/frame-table.js';
import type { Labels } from '../state.js';

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

/** With inferred calls, the time that is known of all calls is a lower bound. */
function averageText(table: FrameTable, node: number): string[] {
  const { tree } = table;
  const [calls, inferred] = [tree.calls[node], tree.inferredCalls[node]];
  if (inferred === 0) return [formatDuration(tree.completeNs[node] / calls)];
  // the longest stops are usually inferred: a bound over the others would be misleading
  if (isStop(familyOfNode(table, node)) && inferred < calls) return [];
  const observedNs = table.self === tree.selfNs ? table.total[node] : 0;
  return [formatAtLeast(Math.max(observedNs, tree.completeNs[node] + tree.longestCutNs[node]) / calls)];
}

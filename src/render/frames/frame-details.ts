/**
 * Describes a box in words: its label, the rows of its tooltip, and the text for screen readers.
 */

import { NONE, type SymbolId } from '../../model/units.js';
import {
  formatAtLeast,
  formatCalls,
  formatCount,
  formatDuration,
  formatMany,
  formatShare,
  longestInferredNs,
} from '../format.js';
import { type Boxes, BoxKind, viewWeight } from '../layout.js';
import { isolated } from '../visible-text.js';
import { isStop } from './colours.js';
import { type FrameTable, familyOfNode, nameOf } from './frame-table.js';

export interface FrameDetails {
  readonly title: string;
  readonly rows: readonly FrameDetail[];
}

export interface FrameDetail {
  readonly label: string;
  readonly value: string;
  readonly note: string;
}

/** Returns the label of a frame, before it is fitted to the width. */
export function labelOf(table: FrameTable, boxes: Boxes, box: number) {
  const node = boxes.node[box] as number;
  if (isBlock(table, boxes, box)) return { name: blockName(table, boxes, box), numbers: [] };
  if (isLabel(table, node) || table.isOfWaits)
    return { name: nameOf(table, node), numbers: [formatWeight(table.total[node], table.weight)] };
  const { calls, inferredCalls } = table.tree;
  const counted = calls[node] > 0 ? [formatCalls(calls[node], inferredCalls[node]), ...durationOf(table, node)] : [];
  return { name: nameOf(table, node), numbers: counted };
}

/** Whether a frame names threads, and is no call. */
function isLabel(table: FrameTable, node: number): boolean {
  const family = familyOfNode(table, node);
  return family === 'group' || family === 'wait';
}

/** Returns the average duration of calls, or a lower bound of the longest call if that is inferred. */
function durationOf(table: FrameTable, node: number): string[] {
  const { tree, weight } = table;
  if (weight === 'calls') return [];
  const boundNs = longestInferredNs(tree.maxNs[node], tree.longestCutNs[node]);
  if (boundNs !== null) return [formatAtLeast(boundNs)];
  const complete = tree.calls[node] - tree.inferredCalls[node];
  // The longest stops are usually inferred: an average over the others would be misleading.
  const isInferredStop = isStop(familyOfNode(table, node)) && tree.inferredCalls[node] > 0;
  return complete > 0 && !isInferredStop ? [formatDuration(tree.completeNs[node] / complete)] : [];
}

/** Whether a box stands for several frames. */
export function isBlock({ omitted }: FrameTable, { kind, node }: Boxes, box: number): boolean {
  return kind[box] !== BoxKind.Frame || omitted[node[box]] > 0;
}

function blockName({ omitted }: FrameTable, { kind, frames, node }: Boxes, box: number): string {
  switch (kind[box]) {
    case BoxKind.Small:
      return formatMany(frames[box], 'small frame');
    case BoxKind.Deep:
      return formatMany(frames[box], 'deeper frame');
    case BoxKind.Callers:
      return formatMany(frames[box], 'caller');
    default:
      return `${formatMany(omitted[node[box]], 'frame')} not in this file`;
  }
}

/** Returns the function of a box; null for blocks and for frames that are no function. */
export function symbolAt({ tree }: FrameTable, { kind, node }: Boxes, box: number): SymbolId | null {
  const symbol = tree.symbol[node[box]];
  return kind[box] === BoxKind.Frame && symbol !== NONE ? symbol : null;
}

/** Returns the rows of a tooltip. `rootName`: what the root represents. */
export function frameDetails(table: FrameTable, boxes: Boxes, box: number, rootName = 'all'): FrameDetails {
  const title = isolated(labelOf(table, boxes, box).name);
  const { total, self } = shares(table, boxes, box, rootName);
  if (isBlock(table, boxes, box)) return { title, rows: [total, blockHint(table, boxes, box)] };
  const node = boxes.node[box] as number;
  const counted = familyOfNode(table, node) === 'wait' ? 'parts of waits' : 'calls';
  return { title, rows: [total, self, ...callDetails(table, node, counted), ...inferredDetails(table, node)] };
}

function shares(table: FrameTable, boxes: Boxes, box: number, rootName: string) {
  const all = table.total[0] as number;
  const ofView = viewWeight(boxes);
  const detail = (label: string, value: number): FrameDetail => {
    const ofAll = `${formatShare(value, all)} of ${rootName}`;
    const isCaller = box < boxes.viewStart;
    const note = isCaller || ofView === all ? ofAll : `${formatShare(value, ofView)} of view · ${ofAll}`;
    return { label, value: formatWeight(value, table.weight), note };
  };
  return { total: detail('total', boxes.total[box]), self: detail('self', table.self[boxes.node[box]]) };
}

export function formatWeight(value: number, weight: 'ns' | 'calls'): string {
  return weight === 'ns' ? formatDuration(value) : formatMany(value, 'call');
}

function blockHint({ omitted }: FrameTable, { kind, node }: Boxes, box: number): FrameDetail {
  const isInFile = kind[box] !== BoxKind.Frame || omitted[node[box]] === 0;
  const note = isInFile ? 'click to zoom in' : 'only the largest frames are kept';
  return { label: '', value: '', note };
}

function callDetails({ tree, weight }: FrameTable, node: number, label: string): FrameDetail[] {
  const calls = tree.calls[node];
  const inferred = tree.inferredCalls[node];
  const complete = calls - inferred;
  if (calls === 0) return [];
  const details = [{ label, ...callsText(calls, inferred, tree.unwoundCalls[node]) }];
  if (weight === 'calls') return details;
  const boundNs = longestInferredNs(tree.maxNs[node], tree.longestCutNs[node]);
  const longest = boundNs === null ? [] : [longestDetail(boundNs)];
  if (complete === 0) return [...details, ...longest];
  const bounds = `min ${formatDuration(tree.minNs[node])} · max ${formatDuration(tree.maxNs[node])}`;
  const of = inferred > 0 ? ` · of ${formatMany(complete, 'complete call')}` : '';
  const average = formatDuration(tree.completeNs[node] / complete);
  return [...details, { label: 'average', value: average, note: bounds + of }, ...longest];
}

/** Returns "4 of 5" with an explanation, for tooltips and panels. */
export function callsText(calls: number, inferred: number, unwound: number): Pick<FrameDetail, 'value' | 'note'> {
  const note = [
    ...(inferred > 0 ? [`complete, ${formatCount(inferred)} inferred: start or end not seen`] : []),
    ...(unwound > 0 ? [`${formatCount(unwound)} unwound: ended by an exception or longjmp`] : []),
  ];
  return { value: formatCalls(calls, inferred), note: note.join(' · ') };
}

/** Returns the detail for a longest call that is inferred. */
export function longestDetail(boundNs: number): FrameDetail {
  return { label: 'longest', value: formatAtLeast(boundNs), note: 'an inferred call' };
}

/** Returns the share of inferred time, which is known for wall-clock time only. */
function inferredDetails({ inferredTotalNs, total, tree, self }: FrameTable, node: number): FrameDetail[] {
  if (self !== tree.selfNs || inferredTotalNs[node] === 0) return [];
  return [
    {
      label: 'inferred',
      value: formatShare(inferredTotalNs[node], total[node]),
      note: 'of its time: path not confirmed',
    },
  ];
}

/** Returns the main numbers in one line: the title of each frame in the file, readable without a script. */
export function briefDetails(table: FrameTable, boxes: Boxes, box: number): string {
  const { name } = labelOf(table, boxes, box);
  const share = `${isolated(name)}: ${formatWeight(boxes.total[box], table.weight)}, ${formatShare(boxes.total[box], table.total[0])}`;
  const node = boxes.node[box] as number;
  const { calls, inferredCalls } = table.tree;
  if (isBlock(table, boxes, box) || familyOfNode(table, node) === 'group' || calls[node] === 0) return share;
  const count = formatCalls(calls[node], inferredCalls[node]);
  const what = table.isOfWaits ? (calls[node] === 1 ? 'part of waits' : 'parts of waits') : 'calls';
  const times = table.isOfWaits ? `${count} ${what}` : `${count}×`;
  const counted = inferredCalls[node] > 0 ? `${count} ${what} complete` : times;
  const [duration] = durationOf(table, node);
  if (duration === undefined) return `${share}; ${counted}`;
  return `${share}; ${counted}, ${duration.startsWith('≥') ? `longest ${duration}` : `${duration} each`}`;
}

/** Joins the details into one line for screen readers. */
export function detailsText({ title, rows }: FrameDetails): string {
  const texts = rows.map(({ label, value, note }) =>
    [label, value, note && value ? `(${note})` : note].filter(Boolean).join(' '),
  );
  return `${title}: ${texts.join(', ')}`;
}

/**
 * Everything that is known of a box, in words: for the tooltip, and for who hears the picture read.
 */
import { type Boxes, BoxKind, viewWeight } from '../../layout/layout.js';
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
import { isStop } from './families.js';
import { type FrameTable, familyOfNode, nameOf } from './frame-table.js';
import { isolated } from './isolated.js';

export interface FrameDetails {
  readonly title: string;
  readonly rows: readonly FrameDetail[];
}

export interface FrameDetail {
  readonly label: string;
  readonly value: string;
  readonly note: string;
}

/** What stands in the frame, if there is room. */
export function labelOf(table: FrameTable, boxes: Boxes, box: number) {
  const node = boxes.node[box] as number;
  if (isBlock(table, boxes, box)) return { name: blockName(table, boxes, box), numbers: [] };
  if (familyOfNode(table, node) === 'group')
    return { name: nameOf(table, node), numbers: [formatWeight(table.total[node], table.weight)] };
  const { calls, inferredCalls } = table.tree;
  const counted = calls[node] > 0 ? [formatCalls(calls[node], inferredCalls[node]), ...durationOf(table, node)] : [];
  return { name: nameOf(table, node), numbers: counted };
}

/** How long calls took, in a word: on average, or what is known of the longest, if that is one that was cut. */
function durationOf(table: FrameTable, node: number): string[] {
  const { tree, weight } = table;
  if (weight === 'calls') return [];
  const cutNs = longestInferredNs(tree.maxNs[node], tree.longestCutNs[node]);
  if (cutNs !== null) return [formatAtLeast(cutNs)];
  const complete = tree.calls[node] - tree.inferredCalls[node];
  // Long stops are those that were cut: an average over the others alone would mislead.
  const isCutStop = isStop(familyOfNode(table, node)) && tree.inferredCalls[node] > 0;
  return complete > 0 && !isCutStop ? [formatDuration(tree.completeNs[node] / complete)] : [];
}

/** Not one frame, but several. */
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

/** The function of a single frame; null: it is none. */
export function symbolAt({ tree }: FrameTable, { kind, node }: Boxes, box: number): SymbolId | null {
  const symbol = tree.symbol[node[box]];
  return kind[box] === BoxKind.Frame && symbol !== NONE ? symbol : null;
}

/** `whole`: what the root stands for. */
export function frameDetails(table: FrameTable, boxes: Boxes, box: number, whole = 'all'): FrameDetails {
  const title = isolated(labelOf(table, boxes, box).name);
  const { total, self } = shares(table, boxes, box, whole);
  if (isBlock(table, boxes, box)) return { title, rows: [total, blockHint(table, boxes, box)] };
  const node = boxes.node[box] as number;
  return { title, rows: [total, self, ...callDetails(table, node), ...inferredDetails(table, node)] };
}

function shares(table: FrameTable, boxes: Boxes, box: number, whole: string) {
  const all = table.total[0] as number;
  const ofView = viewWeight(boxes);
  const fact = (label: string, value: number): FrameDetail => {
    const ofAll = `${formatShare(value, all)} of ${whole}`;
    const isCaller = box < boxes.firstInView;
    const note = isCaller || ofView === all ? ofAll : `${formatShare(value, ofView)} of view · ${ofAll}`;
    return { label, value: formatWeight(value, table.weight), note };
  };
  return { total: fact('total', boxes.total[box]), self: fact('self', table.self[boxes.node[box]]) };
}

export function formatWeight(value: number, weight: 'ns' | 'calls'): string {
  return weight === 'ns' ? formatDuration(value) : formatMany(value, 'call');
}

function blockHint({ omitted }: FrameTable, { kind, node }: Boxes, box: number): FrameDetail {
  const isInFile = kind[box] !== BoxKind.Frame || omitted[node[box]] === 0;
  const note = isInFile ? 'click to see them' : 'the file keeps the largest frames';
  return { label: '', value: '', note };
}

function callDetails({ tree, weight }: FrameTable, node: number): FrameDetail[] {
  const calls = tree.calls[node];
  const inferred = tree.inferredCalls[node];
  const complete = calls - inferred;
  if (calls === 0) return [];
  const facts = [{ label: 'calls', ...callsText(calls, inferred, tree.unwoundCalls[node]) }];
  if (weight === 'calls') return facts;
  const cutNs = longestInferredNs(tree.maxNs[node], tree.longestCutNs[node]);
  const longest = cutNs === null ? [] : [longestDetail(cutNs)];
  if (complete === 0) return [...facts, ...longest];
  const bounds = `min ${formatDuration(tree.minNs[node])} · max ${formatDuration(tree.maxNs[node])}`;
  const of = inferred > 0 ? ` · of ${formatMany(complete, 'whole call')}` : '';
  const average = formatDuration(tree.completeNs[node] / complete);
  return [...facts, { label: 'average', value: average, note: bounds + of }, ...longest];
}

/** "4 of 5", and why not all: for tooltips and panels. */
export function callsText(calls: number, cut: number, unwound: number): Pick<FrameDetail, 'value' | 'note'> {
  const note = [
    ...(cut > 0 ? [`whole, ${formatCount(cut)} cut: start or end not seen`] : []),
    ...(unwound > 0 ? [`${formatCount(unwound)} unwound: ended by an exception or longjmp`] : []),
  ];
  return { value: formatCalls(calls, cut), note: note.join(' · ') };
}

/** Of a call that was cut, and is the longest. */
export function longestDetail(cutNs: number): FrameDetail {
  return { label: 'longest', value: formatAtLeast(cutNs), note: 'a call that was cut' };
}

/** Where width is wall-clock time: of another weight nobody knows how much is guessed. */
function inferredDetails({ inferredTotalNs, total, tree, self }: FrameTable, node: number): FrameDetail[] {
  if (self !== tree.selfNs || inferredTotalNs[node] === 0) return [];
  return [
    {
      label: 'unsure',
      value: formatShare(inferredTotalNs[node], total[node]),
      note: 'of its time: path guessed, or below unseen jumps',
    },
  ];
}

/** The numbers that matter most: every frame of the file has them, so that they can be read without a script. */
export function briefDetails(table: FrameTable, boxes: Boxes, box: number): string {
  const { name, numbers } = labelOf(table, boxes, box);
  const share = `${isolated(name)}: ${formatWeight(boxes.total[box], table.weight)}, ${formatShare(boxes.total[box], table.total[0])}`;
  if (isBlock(table, boxes, box) || table.tree.calls[boxes.node[box]] === 0) return share;
  const [calls, duration] = numbers as [string, string?];
  const isCut = table.tree.inferredCalls[boxes.node[box]] > 0;
  const counted = isCut ? `${calls} calls whole` : `${calls}×`;
  if (duration === undefined) return `${share}; ${counted}`;
  return `${share}; ${counted}, ${duration.startsWith('≥') ? `longest ${duration}` : `${duration} each`}`;
}

/** In one line, as for a screen reader. */
export function detailsText({ title, rows }: FrameDetails): string {
  const said = rows.map(({ label, value, note }) =>
    [label, value, note && value ? `(${note})` : note].filter(Boolean).join(' '),
  );
  return `${title}: ${said.join(', ')}`;
}

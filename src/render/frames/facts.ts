/**
 * Everything that is known of a box, in words: for the tooltip, and for who hears the picture read.
 */
import { type Boxes, BoxKind, weightOfRun } from '../../layout/layout.js';
import { NONE, type SymbolId } from '../../model/units.js';
import {
  formatAtLeast,
  formatCalls,
  formatCount,
  formatDuration,
  formatMany,
  formatShare,
  longestCut,
} from '../format.js';
import { isStop } from './families.js';
import { type FrameTable, familyOfNode, nameOf } from './frame-table.js';
import { isolated } from './isolated.js';

export interface Facts {
  readonly title: string;
  readonly rows: readonly Fact[];
}

export interface Fact {
  readonly what: string;
  readonly value: string;
  readonly more: string;
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
  const cutNs = longestCut(tree.maxNs[node], tree.longestCutNs[node]);
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
export function factsOf(table: FrameTable, boxes: Boxes, box: number, whole = 'all'): Facts {
  const title = isolated(labelOf(table, boxes, box).name);
  const { total, self } = shares(table, boxes, box, whole);
  if (isBlock(table, boxes, box)) return { title, rows: [total, blockHint(table, boxes, box)] };
  const node = boxes.node[box] as number;
  return { title, rows: [total, self, ...callFacts(table, node), ...guessFacts(table, node)] };
}

function shares(table: FrameTable, boxes: Boxes, box: number, whole: string) {
  const all = table.total[0] as number;
  const ofView = weightOfRun(boxes);
  const fact = (what: string, value: number): Fact => {
    const ofAll = `${formatShare(value, all)} of ${whole}`;
    const isCaller = box < boxes.firstOfRun;
    const more = isCaller || ofView === all ? ofAll : `${formatShare(value, ofView)} of view · ${ofAll}`;
    return { what, value: formatWeight(value, table.weight), more };
  };
  return { total: fact('total', boxes.total[box]), self: fact('self', table.self[boxes.node[box]]) };
}

export function formatWeight(value: number, weight: 'ns' | 'calls'): string {
  return weight === 'ns' ? formatDuration(value) : formatMany(value, 'call');
}

function blockHint({ omitted }: FrameTable, { kind, node }: Boxes, box: number): Fact {
  const isInFile = kind[box] !== BoxKind.Frame || omitted[node[box]] === 0;
  const more = isInFile ? 'click to see them' : 'the file keeps the largest frames';
  return { what: '', value: '', more };
}

function callFacts({ tree, weight }: FrameTable, node: number): Fact[] {
  const calls = tree.calls[node];
  const inferred = tree.inferredCalls[node];
  const complete = calls - inferred;
  if (calls === 0) return [];
  const facts = [{ what: 'calls', ...callsText(calls, inferred, tree.unwoundCalls[node]) }];
  if (weight === 'calls') return facts;
  const cutNs = longestCut(tree.maxNs[node], tree.longestCutNs[node]);
  const longest = cutNs === null ? [] : [longestFact(cutNs)];
  if (complete === 0) return [...facts, ...longest];
  const bounds = `min ${formatDuration(tree.minNs[node])} · max ${formatDuration(tree.maxNs[node])}`;
  const of = inferred > 0 ? ` · of ${formatMany(complete, 'whole call')}` : '';
  const average = formatDuration(tree.completeNs[node] / complete);
  return [...facts, { what: 'average', value: average, more: bounds + of }, ...longest];
}

/** "4 of 5", and why not all: for tooltips and panels. */
export function callsText(calls: number, cut: number, unwound: number): Pick<Fact, 'value' | 'more'> {
  const more = [
    ...(cut > 0 ? [`whole, ${formatCount(cut)} cut: start or end not seen`] : []),
    ...(unwound > 0 ? [`${formatCount(unwound)} unwound: ended by an exception or longjmp`] : []),
  ];
  return { value: formatCalls(calls, cut), more: more.join(' · ') };
}

/** Of a call that was cut, and is the longest. */
export function longestFact(cutNs: number): Fact {
  return { what: 'longest', value: formatAtLeast(cutNs), more: 'a call that was cut' };
}

/** Where width is wall-clock time: of another weight nobody knows how much is guessed. */
function guessFacts({ guessNs, total, tree, self }: FrameTable, node: number): Fact[] {
  if (self !== tree.selfNs || guessNs[node] === 0) return [];
  return [
    {
      what: 'unsure',
      value: formatShare(guessNs[node], total[node]),
      more: 'of its time: path guessed, or below unseen jumps',
    },
  ];
}

/** The numbers that matter most: every frame of the file has them, so that they can be read without a script. */
export function briefFacts(table: FrameTable, boxes: Boxes, box: number): string {
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
export function factsText({ title, rows }: Facts): string {
  const said = rows.map(({ what, value, more }) =>
    [what, value, more && value ? `(${more})` : more].filter(Boolean).join(' '),
  );
  return `${title}: ${said.join(', ')}`;
}

/**
 * Describes a frame of the page: its path, and its function over all paths.
 */

import type { FunctionSums } from '../../../analysis/tree/functions.js';
import type { Metric } from '../../../analysis/tree/outside.js';
import { havePercentile, PERCENTILES } from '../../../model/percentiles.js';
import type { TraceMeta } from '../../../model/profile/profile.js';
import { switchesRemedy } from '../../../model/profile/profile.js';
import type { SourceLine } from '../../../model/symbol-table.js';
import type { Nanoseconds, NodeId } from '../../../model/units.js';
import {
  formatDuration,
  formatMany,
  formatPercentile,
  formatShare,
  formatTotal,
  longestInferredNs,
} from '../../../render/format.js';
import {
  callsText,
  type FrameDetail,
  type FrameDetails,
  frameDetails,
  isBlock,
  longestDetail,
} from '../../../render/frames/frame-details.js';
import type { FrameTable } from '../../../render/frames/frame-table.js';
import type { Boxes } from '../../../render/layout.js';
import type { State, Width } from '../state.js';
import { doubtsOfNode } from './counts.js';

const WIDTH_NAMES: Readonly<Record<Width, string>> = {
  wall: 'All time',
  cpu: 'Running',
  outside: 'Waiting',
  'off-cpu': 'Off CPU',
  calls: 'Calls',
  blocked: 'Who blocks whom',
};

/** What a width counts, where its name does not say all of it. */
export const WIDTH_HINTS: Readonly<Record<Width, string>> = {
  wall: '',
  cpu: '',
  outside: 'off CPU, preempted, in system calls, untraced and lost',
  'off-cpu': 'blocked and preempted',
  calls: '',
  blocked: 'blocked time: who waited, for whom, and what that thread did meanwhile',
};

/** Returns the name of a width. Without switch records, running is unknown. */
export function widthName(width: Width, { hasSwitches }: TimeKind): string {
  return width === 'cpu' && !hasSwitches ? 'Traced (least running)' : WIDTH_NAMES[width];
}

/** What is known of the times of a page. */
export interface TimeKind {
  readonly hasSwitches: boolean;
}

/** Explains traced time in a trace without switch records, with the remedy. */
export function tracedHint(meta: TraceMeta): string {
  return `in traced code: a lower bound of on-CPU time; ${switchesRemedy(meta)}`;
}

/** The sums of a function over all paths in the view, and the total time of the view. */
export interface FunctionTotals {
  readonly sums: FunctionSums;
  readonly allNs: Nanoseconds;
  /** Where it begins in source code; null: unknown. */
  readonly line: SourceLine | null;
}

/** Returns the rows of the tooltip. `totals`: null if the frame is not a function. */
export function pageDetails(
  table: FrameTable,
  boxes: Boxes,
  box: number,
  { width, isInverted, hasSwitches }: TimeKind & Pick<State, 'width' | 'isInverted'>,
  totals: FunctionTotals | null,
): FrameDetails {
  const { title, rows: plain } = frameDetails(table, boxes, box);
  const rows = plain.map((row) =>
    row.label === 'inferred' ? withReasons(row, table, boxes.node[box] as number) : row,
  );
  const named = rows.map((row, at) => {
    if (at === 0 && width !== 'wall' && width !== 'blocked') return withWidthLabel(row, width, hasSwitches);
    return at === 0 && isInverted ? { ...row, label: 'self' } : row;
  });
  // from leaves, the self time is the width; upside down, it is only where paths end
  const hasSelf = (!isInverted && width !== 'blocked') || isBlock(table, boxes, box);
  const path = hasSelf ? named : named.filter((_, at) => at !== 1);
  if (totals === null || isBlock(table, boxes, box)) return { title, rows: path };
  const ofFunction = width === 'blocked' ? blockedDetails(totals) : functionDetails(totals);
  return { title, rows: [...path, ...ofFunction, ...lineDetails(totals)] };
}

function withReasons(row: FrameDetail, { tree, total }: FrameTable, node: NodeId): FrameDetail {
  const why = doubtsOfNode(tree, node, total[node] as number);
  return why === '' ? row : { ...row, note: `of its time: ${why}` };
}

function lineDetails({ line }: FunctionTotals): FrameDetail[] {
  if (line === null) return [];
  return [{ label: 'line', value: shortLine(line), note: line.file.slice(0, line.file.lastIndexOf('/') + 1) }];
}

/** Returns "main.c:12", without directories. */
export function shortLine({ file, line }: SourceLine): string {
  return `${file.slice(file.lastIndexOf('/') + 1)}:${line}`;
}

function withWidthLabel(row: FrameDetail, width: Exclude<Metric, 'wall'>, hasSwitches: boolean): FrameDetail {
  if (width !== 'cpu' || hasSwitches) return { ...row, label: SHORT_NAMES[width] };
  return { ...row, label: 'traced', note: `${row.note} · a lower bound of on-CPU time` };
}

const SHORT_NAMES: Readonly<Record<Exclude<Metric, 'wall'>, string>> = {
  cpu: 'running',
  outside: 'waiting',
  'off-cpu': 'off CPU',
  calls: 'calls, stops',
};

function blockedDetails({ sums: { totalNs }, allNs }: FunctionTotals): FrameDetail[] {
  return [{ label: 'all paths', value: formatDuration(totalNs), note: `${formatShare(totalNs, allNs)} of all` }];
}

function functionDetails({ sums, allNs }: FunctionTotals): FrameDetail[] {
  const { calls, inferred, unwound, totalNs, selfNs, avgNs } = sums;
  const { value, note } = callsText(calls, inferred, unwound);
  const counted = { value: inferred > 0 ? `${value} calls` : formatMany(calls, 'call'), note };
  if (allNs === 0) return [{ label: 'all paths', ...counted }]; // a trace without times
  const share = `${formatShare(totalNs, allNs)} of all · self ${formatDuration(selfNs)}`;
  const details = [{ label: 'all paths', value: formatTotal(sums), note: share }];
  if (calls === 0) return details; // of an inlined function
  details.push({ label: '', ...counted });
  const boundNs = longestInferredNs(sums.maxNs, sums.longestCutNs);
  const longest = boundNs === null ? [] : [longestDetail(boundNs)];
  if (Number.isNaN(avgNs)) return [...details, ...longest];
  const known = PERCENTILES.filter(({ key, part }) => !Number.isNaN(sums[key]) && havePercentile(sums, part)).map(
    ({ title, key, part }) => `${title} ${formatPercentile(sums[key], sums, part)}`,
  );
  return [...details, { label: '', value: formatDuration(avgNs), note: ['average', ...known].join(' · ') }, ...longest];
}

/**
 * All that is known of a frame: along its path, and of its function over all paths.
 */
import type { FunctionSums } from '../../../analysis/tree/functions.js';
import type { Boxes } from '../../../layout/layout.js';
import type { TraceMeta } from '../../../model/profile/profile.js';
import { switchesRemedy } from '../../../model/profile/remedies.js';
import type { Nanoseconds } from '../../../model/units.js';
import { formatDuration, formatMany, formatShare, longestInferredNs } from '../../format.js';
import {
  callsText,
  type FrameDetail,
  type FrameDetails,
  frameDetails,
  isBlock,
  longestDetail,
} from '../../frames/frame-details.js';
import type { FrameTable } from '../../frames/frame-table.js';
import type { Width } from '../view/state.js';

const WIDTH_NAMES: Readonly<Record<Width, string>> = {
  wall: 'Wall clock',
  cpu: 'On CPU',
  outside: 'Outside user code',
  'off-cpu': 'Off CPU',
  calls: 'Calls',
  self: 'Self, by callers',
};

/** What a width is called. Without switches in the trace nobody knows who had a processor. */
export function widthName(width: Width, hasSwitches: boolean): string {
  return width === 'cpu' && !hasSwitches ? 'Traced (least on CPU)' : WIDTH_NAMES[width];
}

/** What traced time is, where the trace tells of no switches, and what helps. */
export function tracedHint(meta: TraceMeta): string {
  return `in traced code: a lower bound of on-CPU; ${switchesRemedy(meta)}`;
}

/** A function over all paths that are looked at, and all time that is. */
export interface FunctionTotals {
  readonly sums: FunctionSums;
  readonly allNs: Nanoseconds;
}

/** `everywhere`: null for what is no function. */
export function pageDetails(
  table: FrameTable,
  boxes: Boxes,
  box: number,
  { width, hasSwitches }: { readonly width: Width; readonly hasSwitches: boolean },
  everywhere: FunctionTotals | null,
): FrameDetails {
  const { title, rows } = frameDetails(table, boxes, box);
  const named = rows.map((row, at) => (at === 0 && width !== 'wall' ? withWidthLabel(row, width, hasSwitches) : row));
  // seen from the leaves, a frame has no time of its own: that is what its width is
  const path = width === 'self' ? named.filter((_, at) => at !== 1 || isBlock(table, boxes, box)) : named;
  if (everywhere === null || isBlock(table, boxes, box)) return { title, rows: path };
  return { title, rows: [...path, ...functionDetails(everywhere)] };
}

function withWidthLabel(row: FrameDetail, width: Exclude<Width, 'wall'>, hasSwitches: boolean): FrameDetail {
  if (width !== 'cpu' || hasSwitches) return { ...row, label: SHORT_NAMES[width] };
  return { ...row, label: 'traced', note: `${row.note} · a lower bound of on-CPU` };
}

const SHORT_NAMES: Readonly<Record<Exclude<Width, 'wall'>, string>> = {
  cpu: 'on CPU',
  outside: 'outside',
  'off-cpu': 'off CPU',
  calls: 'calls, stops',
  self: 'self',
};

function functionDetails({ sums, allNs }: FunctionTotals): FrameDetail[] {
  const { calls, inferred, unwound, totalNs, selfNs, avgNs, p50Ns, p90Ns, p99Ns } = sums;
  const { value, note } = callsText(calls, inferred, unwound);
  const counted = { value: inferred > 0 ? `${value} calls` : formatMany(calls, 'call'), note };
  if (allNs === 0) return [{ label: 'everywhere', ...counted }]; // a trace without times
  const share = `${formatShare(totalNs, allNs)} of all · self ${formatDuration(selfNs)}`;
  const facts = [
    { label: 'everywhere', value: formatDuration(totalNs), note: share },
    { label: '', ...counted },
  ];
  const cutNs = longestInferredNs(sums.maxNs, sums.longestCutNs);
  const longest = cutNs === null ? [] : [longestDetail(cutNs)];
  if (Number.isNaN(avgNs)) return [...facts, ...longest];
  const percentiles = [
    ['p50', p50Ns],
    ['p90', p90Ns],
    ['p99', p99Ns],
  ] as const;
  const known = percentiles.filter(([, ns]) => !Number.isNaN(ns)).map(([name, ns]) => `${name} ${formatDuration(ns)}`);
  return [...facts, { label: '', value: formatDuration(avgNs), note: ['average', ...known].join(' · ') }, ...longest];
}

/**
 * All that is known of a frame: along its path, and of its function over all paths.
 */
import type { FunctionSums } from '../../../analysis/functions.js';
import type { Boxes } from '../../../layout/layout.js';
import { formatCount, formatDuration, formatMany } from '../../format.js';
import { type Fact, type Facts, factsOf, formatShare, isBlock } from '../../frames/facts.js';
import type { FrameTable } from '../../frames/frame-table.js';
import type { Width } from './state.js';

/** What a width is called. */
export const WIDTH_NAMES: Readonly<Record<Width, string>> = {
  wall: 'Wall clock',
  cpu: 'On CPU',
  outside: 'Outside user code',
  'off-cpu': 'Off CPU',
  calls: 'Calls',
  self: 'Self, by callers',
};

/** `ofView`: the weight of what fills the width. `sums`: of the function, over all paths; null for what is none. */
export function detailsOf(
  table: FrameTable,
  boxes: Boxes,
  box: number,
  ofView: number,
  width: Width,
  sums: FunctionSums | null,
): Facts {
  const { title, rows } = factsOf(table, boxes, box, ofView);
  const named = width === 'wall' ? rows : rows.map((row, at) => (at === 0 ? { ...row, what: shortName(width) } : row));
  const path = width === 'self' ? named.filter(({ what }) => what !== 'self') : named;
  if (sums === null || isBlock(table, boxes, box)) return { title, rows: path };
  return { title, rows: [...path, ...functionFacts(sums, table.total[0] as number, table.weight)] };
}

function shortName(width: Exclude<Width, 'wall'>): string {
  return { cpu: 'on CPU', outside: 'outside', 'off-cpu': 'off CPU', calls: 'calls below', self: 'self' }[width];
}

/** Over all paths that are looked at. */
function functionFacts(sums: FunctionSums, all: number, weight: 'ns' | 'calls'): Fact[] {
  const { calls, inferred, totalNs, selfNs, avgNs, p50Ns, p90Ns, p99Ns } = sums;
  const share = weight === 'ns' ? `${formatShare(totalNs, all)} of all · ` : '';
  const facts = [
    { what: 'everywhere', value: formatDuration(totalNs), more: `${share}self ${formatDuration(selfNs)}` },
    {
      what: '',
      value: formatCount(calls),
      more: `${calls === 1 ? 'call' : 'calls'}${inferred > 0 ? `, ${formatCount(inferred)} inferred` : ''}`,
    },
  ];
  if (Number.isNaN(avgNs)) return facts;
  const percentiles = [
    ['p50', p50Ns],
    ['p90', p90Ns],
    ['p99', p99Ns],
  ] as const;
  const known = percentiles.filter(([, ns]) => !Number.isNaN(ns)).map(([name, ns]) => `${name} ${formatDuration(ns)}`);
  return [...facts, { what: '', value: formatDuration(avgNs), more: ['average', ...known].join(' · ') }];
}

/** "12 frames, 34 % of view". */
export function foundText(frames: number, share: string, isAtLeast: boolean): string {
  return `${formatMany(frames, 'frame')}, ${isAtLeast ? '≥ ' : ''}${share} of view`;
}

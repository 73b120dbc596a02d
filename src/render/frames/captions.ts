/**
 * What a picture says about itself: what was recorded, and what its colours mean.
 */

import { type Boxes, BoxKind } from '../../layout/layout.js';
import type { TraceMeta } from '../../model/profile/profile.js';
import { formatDuration, formatMany } from '../format.js';
import type { ProfileHeader } from '../quality-summary.js';
import { visibleText } from '../visible-text.js';
import { FAMILIES, type Family } from './families.js';
import { formatWeight } from './frame-details.js';
import { type FrameTable, familyOfNode, isInferred } from './frame-table.js';
import { isolated } from './isolated.js';
import { truncate } from './labels.js';

const MEANINGS: Readonly<Record<Family, string>> = {
  user: 'functions',
  kernel: 'functions of the kernel',
  group: 'threads',
  unknown: '[file+0x…], [unknown]: no symbol',
  syscall: '[syscall]: in the kernel',
  'off-cpu': '[off-cpu]: blocked',
  preempted: '[preempted]: waits for a processor',
  untraced: '[untraced]: other code',
  lost: '[lost]: not recorded',
};

const MOST_HOST_COLUMNS = 24;
const MOST_COMMAND_COLUMNS = 300;
const MOST_PART_COLUMNS = 80;

/** `total`: of all frames. "39.4 ms recorded · 4 threads · 157 ms of their time". */
export function subtitleOf({ meta, threads, quality }: ProfileHeader, total: number): string {
  const count = formatMany(threads.length, 'thread');
  if (meta.weight === 'calls') return `${count} · ${formatWeight(total, 'calls')}, no times`;
  const span = formatDuration(meta.endNs - meta.startNs);
  const where = meta.recorded?.host
    ? ` on ${isolated(truncate(visibleText(meta.recorded.host), MOST_HOST_COLUMNS))}`
    : '';
  const time = `${formatDuration(quality.totalNs)} of wall-clock time`;
  if (meta.part === null) return `${span} recorded${where} · ${count} · ${time} in all`;
  return `only ${isolated(truncate(visibleText(meta.part), MOST_PART_COLUMNS))} · ${span}${where} · ${count} · ${time}`;
}

/** All that is known of where the trace comes from; empty if that is nothing. */
export function originText({ recorded }: TraceMeta): string {
  if (recorded === null) return '';
  const { host, startedAt, cpu, kernel, perf, command } = recorded;
  const facts = [
    ['recorded on', host],
    ['at', startedAt],
    ['CPU', cpu],
    ['kernel', kernel],
    ['perf', perf],
    ['by', command && truncate(command.join(' '), MOST_COMMAND_COLUMNS)],
  ];
  const lines = facts
    .filter(([, fact]) => fact)
    .map(([what, fact]) => `${what} ${isolated(visibleText(fact as string))}`);
  return lines.join(' · ');
}

export interface LegendEntry {
  /** Class of the swatch; `hatched` is a pattern on a frame of any colour; empty: there is none. */
  readonly swatch: string;
  readonly text: string;
}

/** Only what occurs; what is hatched and what is merged is always explained where it is. */
export function legendOf(table: FrameTable, boxes: Boxes): LegendEntry[] {
  const { families, hasInferred } = kindsIn(table);
  const hasBlocks = boxes.kind.some((kind, box) => kind !== BoxKind.Frame && (boxes.widthPx[box] as number) > 0);
  return [
    ...FAMILIES.filter((family) => families.has(family)).map((family) => entryOf(family)),
    ...(hasInferred ? [{ swatch: 'hatched', text: 'hatched: start or end not seen' }] : []),
    ...(hasBlocks ? [{ swatch: 'block', text: 'several frames together' }] : []),
  ];
}

function entryOf(family: Family): LegendEntry {
  const swatch = family === 'user' ? 'u3' : family === 'kernel' ? 'k0' : family;
  return { swatch, text: MEANINGS[family] };
}

interface Kinds {
  readonly families: ReadonlySet<Family>;
  readonly hasInferred: boolean;
}

/** They stay the same while the reader zooms. */
const kindsOf = new WeakMap<object, Kinds>();

function kindsIn(table: FrameTable): Kinds {
  let kinds = kindsOf.get(table.tree);
  if (kinds === undefined) kindsOf.set(table.tree, (kinds = findKinds(table)));
  return kinds;
}

function findKinds(table: FrameTable): Kinds {
  const families = new Set<Family>();
  let hasInferred = false;
  for (let node = 1; node < table.tree.length; node++) {
    if (table.omitted[node] > 0) continue;
    families.add(familyOfNode(table, node));
    hasInferred ||= isInferred(table, node);
  }
  return { families, hasInferred };
}

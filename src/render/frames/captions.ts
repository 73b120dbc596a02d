/**
 * Writes the captions of a flame graph: subtitle, origin of the recording, legend.
 */

import { ROOT } from '../../model/calls/call-tree.js';
import type { TraceMeta } from '../../model/profile/profile.js';
import { NONE, type NodeId } from '../../model/units.js';
import { formatDuration, formatMany, formatShare, threadNoun } from '../format.js';
import { type Boxes, BoxKind } from '../layout.js';
import type { ProfileHeader } from '../quality-summary.js';
import { isolated, shellWords, visibleText } from '../visible-text.js';
import { FAMILIES, type Family, LIBRARY_COLOURS, libraryClass, SHADES } from './colours.js';
import { formatWeight } from './frame-details.js';
import { type FrameTable, familyOfNode, isInferred, libraryOfNode } from './frame-table.js';
import { truncate } from './labels.js';
import { libraryNames } from './libraries.js';

/** What frames without a library are. */
export const MEANINGS: Readonly<Record<Exclude<Family, 'user' | 'kernel' | 'unknown'>, string>> = {
  entry: 'kernel entry',
  group: 'threads',
  wait: 'whom it waited for; beyond, upside down, what that thread did',
  syscall: '[syscall]: in the kernel',
  'off-cpu': '[off-cpu]: blocked',
  preempted: '[preempted]: waiting for a CPU',
  untraced: '[untraced]: other code',
  lost: '[lost]: not recorded',
};

const MAX_HOST_WIDTH = 24;
const MAX_COMMAND_WIDTH = 300;
const MAX_PART_WIDTH = 80;

/**
 * Returns "39.4 ms recorded · 4 threads · 157 ms of wall-clock time in total"; of a merged profile, "2 recordings added up · …".
 * `total`: weight of all frames.
 */
export function subtitleOf({ meta, threads, quality }: ProfileHeader, total: number): string {
  const count = formatMany(threads.length, threadNoun(meta));
  if (meta.weight === 'calls') return `${count} · ${formatWeight(total, 'calls')}, no times`;
  const span = formatDuration(meta.endNs - meta.startNs);
  const where = meta.recorded?.host ? ` on ${isolated(truncate(visibleText(meta.recorded.host), MAX_HOST_WIDTH))}` : '';
  const time = `${formatDuration(quality.totalNs)} of ${meta.isBlockedTime ? 'blocked' : 'wall-clock'} time`;
  if (meta.merged) return `${formatMany(meta.merged.recordings, 'recording')} added up · ${count} · ${time} in total`;
  if (meta.part === null) return `${span} recorded${where} · ${count} · ${time} in total`;
  return `only ${isolated(truncate(visibleText(meta.part), MAX_PART_WIDTH))} · ${span}${where} · ${count} · ${time}`;
}

/** Describes where and how the trace was recorded, without what the subtitle says; empty if unknown. */
export function originText({ recorded, weight }: TraceMeta): string {
  if (recorded === null) return '';
  const { host, startedAt, cpu, kernel, perf, command } = recorded;
  const isHostSaid = weight === 'ns' && host !== null && visibleText(host).length <= MAX_HOST_WIDTH;
  const fields = [
    ['recorded on', isHostSaid ? null : host],
    ['recorded at', startedAt],
    ['CPU', cpu],
    ['kernel', kernel],
    ['perf', perf],
    ['by', command && truncate(shellWords(command), MAX_COMMAND_WIDTH)],
  ];
  const lines = fields
    .filter(([, value]) => value)
    .map(([label, value]) => `${label} ${isolated(visibleText(value as string))}`);
  return lines.join(' · ');
}

export interface LegendEntry {
  /** CSS class of the swatch; `hatched` is a pattern on frames of any colour; empty: no swatch. */
  readonly swatch: string;
  readonly text: string;
  /** The libraries that it stands for, as recorded; absent: it stands for none. */
  readonly files?: readonly string[];
  /** More about it; absent: nothing. */
  readonly title?: string;
}

/** How a legend is worded. */
export interface LegendOptions {
  /** Colours show libraries; otherwise functions. */
  readonly showsLibraries: boolean;
  readonly meanings: typeof MEANINGS;
  /** Where there is no room for all. */
  readonly isLargestFirst?: boolean;
}

/**
 * Returns entries for what occurs in the table, with its share of the time, for hatching and for merged frames only if there
 * are any.
 */
export function legendOf(
  table: FrameTable,
  boxes: Boxes,
  { showsLibraries, meanings, isLargestFirst }: LegendOptions = { showsLibraries: true, meanings: MEANINGS },
): LegendEntry[] {
  const { self, hasInferred } = kindsIn(table);
  const hasBlocks = boxes.kind.some((kind, box) => kind !== BoxKind.Frame && (boxes.widthPx[box] as number) > 0);
  const withShare = ({ weight, ...entry }: WeighedEntry) =>
    weight > 0 ? { ...entry, text: `${entry.text} ${formatShare(weight, table.total[ROOT])}` } : entry;
  const functions = showsLibraries ? libraryEntries(table) : functionEntries(table, 'functions');
  const others = FAMILIES.filter((family) => family in meanings && self.has(family)) as (keyof typeof MEANINGS)[];
  const weighed: WeighedEntry[] = [
    ...functions,
    ...others.map((family) => ({
      swatch: family === 'wait' ? 'group' : family,
      text: meanings[family],
      weight: self.get(family) as number,
    })),
  ];
  if (isLargestFirst) weighed.sort((a, b) => b.weight - a.weight);
  return [
    ...weighed.map(withShare),
    ...(hasInferred ? [{ swatch: 'hatched', text: 'hatched: start or end not seen' }] : []),
    ...(hasBlocks ? [{ swatch: 'block', text: 'merged frames' }] : []),
  ];
}

interface WeighedEntry extends LegendEntry {
  readonly weight: number;
}

function functionEntries(table: FrameTable, text: string): WeighedEntry[] {
  const { byLibrary } = kindsIn(table);
  return byLibrary.size === 0 ? [] : [{ swatch: `f0${MIDDLE_SHADE}`, text, weight: sumOf(byLibrary.values()) }];
}

const MIDDLE_SHADE = (SHADES - 1) / 2;

/** Libraries in the order of their colours; those that share a colour are one entry. */
function libraryEntries(table: FrameTable): WeighedEntry[] {
  const { files } = table.libraries;
  if (files.length === 0) return functionEntries(table, 'library not recorded (perf script -F +dso)');
  const { byLibrary } = kindsIn(table);
  const names = libraryNames(table.libraries);
  const present = [...byLibrary.keys()].sort((a, b) => a - b);
  const others = present.filter((library) => library >= LIBRARY_COLOURS);
  const entryOf = (libraries: readonly number[], text: string): WeighedEntry => ({
    swatch: `${libraryClass(libraries[0] as number)}${MIDDLE_SHADE}`,
    text,
    files: libraries.filter((library) => library !== NONE).map((library) => files[library] as string),
    weight: sumOf(libraries.map((library) => byLibrary.get(library) as number)),
  });
  const named = present.filter((library) => library !== NONE && library < LIBRARY_COLOURS);
  return [
    ...named.map((library) => entryOf([library], isolated(visibleText(names[library] as string)))),
    ...(others.length > 0
      ? [entryOf(others, `${others.length} other ${others.length === 1 ? 'library' : 'libraries'}`)]
      : []),
    ...(byLibrary.has(NONE) ? [entryOf([NONE], 'library not recorded')] : []),
  ];
}

function sumOf(weights: Iterable<number>): number {
  let sum = 0;
  for (const weight of weights) sum += weight;
  return sum;
}

interface Kinds {
  /** By family that occurs: what its frames weigh themselves. */
  readonly self: ReadonlyMap<Family, number>;
  /** By library of functions that occur, NONE if not recorded: likewise. */
  readonly byLibrary: ReadonlyMap<number, number>;
  readonly hasInferred: boolean;
}

/** Cache by weights: zooming does not change the kinds. */
const kindsOf = new WeakMap<object, Kinds>();

function kindsIn(table: FrameTable): Kinds {
  let kinds = kindsOf.get(table.self);
  if (kinds === undefined) kindsOf.set(table.self, (kinds = findKinds(table)));
  return kinds;
}

/** What a function did itself: upside down, that is at the beginning of the path. */
function ownOf({ isInverted, parent, self, total }: FrameTable, node: NodeId): number {
  if (!isInverted) return self[node];
  return parent[node] === ROOT ? total[node] : 0;
}

function findKinds(table: FrameTable): Kinds {
  const self = new Map<Family, number>();
  const byLibrary = new Map<number, number>();
  let hasInferred = false;
  for (let node = 1; node < table.tree.length; node++) {
    if (table.omitted[node] > 0) continue;
    const family = familyOfNode(table, node);
    const own = ownOf(table, node);
    self.set(family, (self.get(family) ?? 0) + own);
    if (!(family in MEANINGS)) {
      const library = libraryOfNode(table, node);
      byLibrary.set(library, (byLibrary.get(library) ?? 0) + own);
    }
    hasInferred ||= isInferred(table, node);
  }
  return { self, byLibrary, hasInferred };
}

/**
 * Names a recording by what was recorded, where and when: as a title and as a file name.
 *
 * The parts of a profile that name it.
 */
interface ProfileIdentity {
  readonly meta: Pick<TraceMeta, 'recorded'>;
  readonly threads: readonly { readonly tid: number; readonly pid: number | null; readonly comm: string | null }[];
}

const MAX_NAME_WIDTH = 40;

/** Returns "mysqld on db1, 2026-11-21 14:03 UTC"; null if nothing is known. */
export function recordingTitle(named: ProfileIdentity): string | null {
  const { program, host, startedAt } = identityOf(named);
  const show = (text: string) => isolated(truncate(visibleText(text), MAX_NAME_WIDTH));
  const words = [...(program ? [show(program)] : []), ...(host ? [`on ${show(host)}`] : [])].join(' ');
  const when = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d)/.exec(startedAt ?? '');
  return [words, ...(when ? [`${when[1]} ${when[2]} UTC`] : [])].filter(Boolean).join(', ') || null;
}

const KIND = 'Wall-clock flame graph';

interface Titles {
  /** Shown above the flame graph. */
  readonly title: string;
  /** Title of the window or the document. */
  readonly windowTitle: string;
}

/** Returns the titles of a report or SVG. `given`: by the user; undefined: the name of the recording, if known. */
export function titlesOf(named: ProfileIdentity, given: string | undefined): Titles {
  const name = recordingTitle(named);
  const title = given ?? name ?? KIND;
  return { title, windowTitle: title === name ? `${name} – ${KIND.toLowerCase()}` : title };
}

/** Device names reserved by Windows. */
const DEVICE = /^(con|prn|aux|nul|com\d|lpt\d)$/i;

/** Returns "mysqld-db1-2026-11-21T14-03-05": only letters, digits, "-", "_" and ".", without an extension. */
export function recordingFileName(named: ProfileIdentity): string {
  const { program, host, startedAt } = identityOf(named);
  const parts = [program, host, startedAt?.replace(/\..*|Z$/, '')].map((part) => (part ? fileWord(part) : ''));
  const name = parts.filter(Boolean).join('-');
  return name === '' || DEVICE.test(name) ? `flame${name && `-${name}`}` : name;
}

function fileWord(text: string): string {
  const safe = text.normalize('NFC').replace(/[^\p{L}\p{N}._]+/gu, '-');
  return [...safe]
    .slice(0, MAX_NAME_WIDTH)
    .join('')
    .replace(/^[.-]+|[.-]+$/g, '');
}

function identityOf({ meta: { recorded }, threads }: ProfileIdentity) {
  const { command = null, host = null, startedAt = null } = recorded ?? {};
  const main = threads.find(({ tid, pid, comm }) => tid === pid && comm !== null) ?? threads.find(({ comm }) => comm);
  return { program: tracedProgram(command ?? []) ?? main?.comm ?? null, host, startedAt };
}

/** Returns the program after "--" in perf's command line; null without "--", as any word could be the program. */
function tracedProgram(command: readonly string[]): string | null {
  const at = command.indexOf('--');
  const path = at === -1 ? undefined : command[at + 1];
  return path?.split('/').findLast((part) => part !== '') ?? null;
}

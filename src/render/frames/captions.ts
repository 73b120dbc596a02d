/**
 * Writes the captions of a flame graph: subtitle, origin of the recording, legend.
 */

import type { TraceMeta } from '../../model/profile/profile.js';
import { formatDuration, formatMany, threadNoun } from '../format.js';
import { type Boxes, BoxKind } from '../layout.js';
import type { ProfileHeader } from '../quality-summary.js';
import { isolated, shellWords, visibleText } from '../visible-text.js';
import { FAMILIES, type Family, isStop } from './colours.js';
import { formatWeight } from './frame-details.js';
import { type FrameTable, familyOfNode, isInferred } from './frame-table.js';
import { truncate } from './labels.js';

const MEANINGS: Readonly<Record<Family, string>> = {
  user: 'functions',
  kernel: 'kernel functions',
  group: 'threads',
  wait: '-- whom it waited for; above, upside down, what that thread did',
  unknown: '[file+0x…], [unknown]: no symbol',
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
}

/** Returns entries for what occurs in the table, for hatching and for merged frames only if there are any. */
export function legendOf(table: FrameTable, boxes: Boxes): LegendEntry[] {
  const { families, hasInferred } = kindsIn(table);
  const hasBlocks = boxes.kind.some((kind, box) => kind !== BoxKind.Frame && (boxes.widthPx[box] as number) > 0);
  return [
    ...FAMILIES.filter((family) => families.has(family)).map((family) => entryOf(family)),
    ...(hasInferred ? [{ swatch: 'hatched', text: 'hatched: start or end not seen' }] : []),
    ...(hasBlocks ? [{ swatch: 'block', text: 'merged frames' }] : []),
  ];
}

function entryOf(family: Family): LegendEntry {
  const swatch = isStop(family) || family === 'group' ? family : 'f0-2';
  return { swatch, text: MEANINGS[family] };
}

interface Kinds {
  readonly families: ReadonlySet<Family>;
  readonly hasInferred: boolean;
}

/** Cache by tree: zooming does not change the kinds. */
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

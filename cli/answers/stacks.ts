/**
 * Formats the stacks of threads at one moment as terminal text; threads with equal stacks are grouped.
 */
import type { Stacks } from '../../src/questions/schema.js';
import { formatAtLeast, formatDuration, formatMany } from '../../src/render/format.js';
import { visibleText } from '../../src/render/visible-text.js';
import { tableLines } from '../terminal/table.js';
import { distinctNames, functionKey } from './distinct-names.js';
import { traceLines } from './report.js';
import { LINE_TITLES, lineCells, lineColumns } from './source-lines.js';

type Thread = Stacks['threads'][number];
type Frame = Thread['frames'][number];

const MAX_THREADS = 8;

export function stacksLines({ trace, at, threads, quality }: Stacks, width: number): string[] {
  const groups = new Map<string, Thread[]>();
  for (const thread of threads) {
    const key = thread.frames.map(functionKey).join('\n\n');
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [thread]);
    else group.push(thread);
  }
  const nameOf = distinctNames(threads.flatMap(({ frames }) => frames));
  const ordered = [...groups.values()].sort((a, b) => b.length - a.length || firstTid(a) - firstTid(b));
  const head = [
    ...traceLines(trace, quality),
    `at ${at}: ${formatMany(threads.length, 'thread')}, ${formatMany(groups.size, 'different stack')}`,
  ];
  return [...head, ...ordered.flatMap((group) => groupLines(group, nameOf, width))];
}

/** A row for each frame, the outermost first; a row without a frame for a thread between two calls. */
export function stacksCsv({ threads }: Stacks, hasLines: boolean): (string | number | boolean | null)[][] {
  const titles = ['tid', 'pid', 'comm', 'depth', 'name', 'dso', 'sinceNs', 'isStartSeen'];
  const rows = threads.flatMap(({ tid, pid, comm, frames }) => {
    if (frames.length === 0)
      return [[tid, pid, comm, null, null, null, null, null, ...(hasLines ? lineCells({}) : [])]];
    return frames.map((frame, depth) => {
      const { name, dso, sinceNs, isStartSeen } = frame;
      return [tid, pid, comm, depth, name, dso, sinceNs, isStartSeen, ...(hasLines ? lineCells(frame) : [])];
    });
  });
  return [[...titles, ...(hasLines ? LINE_TITLES : [])], ...rows];
}

function firstTid([first]: readonly Thread[]): number {
  return first?.tid ?? 0;
}

function groupLines(threads: readonly Thread[], nameOf: (frame: Frame) => string, width: number): string[] {
  const [first] = threads;
  const shown = threads.slice(0, MAX_THREADS).map(threadText).join(', ');
  const more = threads.length > MAX_THREADS ? `, and ${threads.length - MAX_THREADS} more` : '';
  const title = `${formatMany(threads.length, 'thread')}: ${shown}${more}`;
  if (first.frames.length === 0) return ['', title, '  between two calls'];
  const since = {
    title: threads.length === 1 ? 'since' : 'longest since',
    text: (frame: Frame) => sinceText(threads, first, frame),
  };
  const frames = [...first.frames].reverse();
  return [
    '',
    title,
    ...tableLines(frames, [since, ...lineColumns(frames)], { name: nameOf, nameTitle: 'frame', width }),
  ];
}

function threadText({ tid, comm }: Thread): string {
  return comm === null ? String(tid) : `${tid} ${visibleText(comm)}`;
}

/** Returns how long a frame has been open, the longest of several threads. */
function sinceText(threads: readonly Thread[], first: Thread, frame: Frame): string {
  const depth = first.frames.indexOf(frame);
  const same = threads.map(({ frames }) => frames[depth] ?? frame);
  const longestNs = Math.max(...same.map(({ sinceNs }) => sinceNs));
  return same.every(({ isStartSeen }) => isStartSeen) ? formatDuration(longestNs) : formatAtLeast(longestNs);
}

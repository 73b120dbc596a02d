/**
 * `ptflame stacks`: shows the stack of every thread at one moment.
 */

import * as z from 'zod';
import { interruptible } from '../../src/host/turns.js';
import { groupBy } from '../../src/model/groups.js';
import { askStacks } from '../../src/pipeline/analyze.js';
import { stacksAnswer } from '../../src/questions/stacks/answer.js';
import type { Stacks } from '../../src/questions/stacks/schema.js';
import { formatAtLeast, formatDuration, formatMany } from '../../src/render/format.js';
import { visibleText } from '../../src/render/visible-text.js';
import { distinctNames, functionKey, LINE_TITLES, lineCells, lineColumns, traceLines } from '../answers/cells.js';
import { openInputs } from '../input/open-inputs.js';
import { requireTraces, withProgress } from '../input/traces.js';
import { moment } from '../options/question-values.js';
import { answering, reading, replaying, selection, srcline, TRACES } from '../options/shared.js';
import { path } from '../options/values.js';
import { answerFormats, openAnswer } from '../output/answer.js';
import { qualityLines } from '../output/lines.js';
import { notify } from '../terminal/notify.js';
import { tableLines } from '../terminal/table.js';
import { defineCommand } from '../usage/define-command.js';
import { flag, group } from '../usage/flag.js';

/** The options of `ptflame stacks`. */
export const StacksOptions = z.object({
  inputs: z.array(path).min(1),
  ...group('Selection', {
    at: flag(moment, "the moment, such as +10ms from the start, or on perf's clock", {
      value: 'TIME',
      common: 'the moment, such as +10ms from the start',
    }),
  }),
  ...group('Output', answering()),
  ...srcline(),
  ...selection(),
  ...replaying(),
  ...reading(),
});
export type StacksOptions = z.infer<typeof StacksOptions>;

export const command = defineCommand({
  details: 'Shows what ran, what waited, and for how long.',
  examples: [
    ['ptflame stacks perf.data --at +10ms', '10 ms after the start of the recording'],
    ['ptflame stacks trace.txt --at 858572.850211', "on perf's clock"],
  ],
  arguments: [TRACES],
  schema: StacksOptions,
  formats: answerFormats,
  run: stacks,
});

export async function stacks(options: StacksOptions, signal: AbortSignal): Promise<void> {
  const inputs = await requireTraces(await openInputs(options.inputs, options, signal));
  const output = await openAnswer(options, options.inputs);
  const flags = { ...options, foldRecursion: false };
  const found = await withProgress(inputs, flags, signal, (analyzing) =>
    askStacks(inputs, options.at, { ...analyzing, trees: 'together' }),
  );
  const answer = await interruptible(() => stacksAnswer(found.profile, found.atNs, found.stacks));
  const csv = () => stacksCsv(answer, options.srcline);
  await output.write({ json: () => answer, text: (width) => stacksLines(answer, width), csv });
  if (!options.quiet) for (const line of qualityLines(found.profile)) notify(line);
}

type Thread = Stacks['threads'][number];
type Frame = Thread['frames'][number];

const MAX_THREADS = 8;

/** Formats the stacks of threads at one moment as terminal text; threads with equal stacks are grouped. */
export function stacksLines({ trace, at, threads, quality }: Stacks, width: number): string[] {
  const groups = groupBy(threads, ({ frames }) => frames.map(functionKey).join('\n\n'));
  const nameOf = distinctNames(threads.flatMap(({ frames }) => frames));
  const ordered = [...groups.values()].sort((a, b) => b.length - a.length || firstTid(a) - firstTid(b));
  const head = [
    ...traceLines(trace, quality),
    `at ${at}: ${formatMany(threads.length, 'thread')}, ${formatMany(groups.size, 'different stack')}`,
  ];
  return [...head, ...ordered.flatMap((group) => groupLines(group, nameOf, width))];
}

/** A row for each frame, the outermost first; a row without a frame for a thread between two calls. */
function stacksCsv({ threads }: Stacks, hasLines: boolean): (string | number | boolean | null)[][] {
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
  const depths = new Map(first.frames.map((frame, depth) => [frame, depth]));
  const since = {
    title: threads.length === 1 ? 'since' : 'longest since',
    text: (frame: Frame) => sinceText(threads.map(({ frames }) => frames[depths.get(frame) ?? -1] ?? frame)),
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
function sinceText(frames: readonly Frame[]): string {
  const longestNs = frames.reduce((longest, { sinceNs }) => Math.max(longest, sinceNs), Number.NEGATIVE_INFINITY);
  return frames.every(({ isStartSeen }) => isStartSeen) ? formatDuration(longestNs) : formatAtLeast(longestNs);
}

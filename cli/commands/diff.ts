/**
 * `ptflame diff`: compares two traces or profiles, or two parts of a trace.
 */

import { basename } from 'node:path';
import * as z from 'zod';
import { interruptible } from '../../src/host/turns.js';
import { PtflameError } from '../../src/model/errors.js';
import type { Profile } from '../../src/model/profile/profile.js';
import { safeJson } from '../../src/model/text.js';
import type { AnalyzeOptions } from '../../src/pipeline/analyze.js';
import { patternText } from '../../src/pipeline/replay/find-functions.js';
import { diffOf, isChanged } from '../../src/questions/diff/answer.js';
import {
  type CheckedLimit,
  checkLimits,
  type DiffLimit,
  type ExceededLimit,
  isUnbounded,
  type LimitedNumber,
} from '../../src/questions/diff/limits.js';
import type { Diff, DiffRow } from '../../src/questions/diff/schema.js';
import {
  EXACT_NS,
  formatAverageCount,
  formatCount,
  formatDifference,
  formatDuration,
  formatMany,
  formatPercentChange,
} from '../../src/render/format.js';
import { visibleText } from '../../src/render/visible-text.js';
import { nameMatcher } from '../../src/trace/records/thread-names.js';
import {
  durationCell,
  LINE_TITLES,
  lineCells,
  lineColumns,
  longestCell,
  topLines,
  traceLines,
  UNKNOWN,
} from '../answers/cells.js';
import { openInputs } from '../input/open-inputs.js';
import { loadTimed } from '../input/traces.js';
import { parseDuration, parsedList, parseFunction } from '../options/question-values.js';
import {
  csv,
  filters,
  inline,
  json,
  limit,
  matching,
  maxFolded,
  outputs,
  reading,
  selection,
  shown,
  srcline,
} from '../options/shared.js';
import { path } from '../options/values.js';
import { type AnswerFormat, answerFormats, isTableFile, openAnswer } from '../output/answer.js';
import { type Format, OWN_FORMATS, type OwnFormat, outputFormats } from '../output/formats.js';
import { qualityLines } from '../output/lines.js';
import { type Output, openOutput, writeAll } from '../output/outputs.js';
import { refuseLargeStacks } from '../output/refuse-large.js';
import type { Chunks } from '../output/write-chunks.js';
import { writtenLines } from '../output/written-files.js';
import { notify } from '../terminal/notify.js';
import { type TableColumn, tableLines } from '../terminal/table.js';
import { defineCommand } from '../usage/define-command.js';
import { flag, group, kebabCase } from '../usage/flag.js';

const LIMIT = /^(.+?)\s+(avg|total|self|calls|p99)\s+\+(\d{1,9}(?:\.\d{1,9})?)(%|[a-zµ]*)$/s;

/** "do_command avg +20%", "do_command calls +100", "/^get_/ p99 +5us". */
export function parseLimit(text: string): DiffLimit | null {
  const [, name = '', number = '', amount = '', unit = ''] = LIMIT.exec(text.trim()) ?? [];
  const functions = name === '' ? null : parseFunction(name);
  if (functions === null) return null;
  const of = { functions, number: number as LimitedNumber };
  if (unit === '%') return { ...of, increase: Number(amount) / 100, isShare: true };
  const increase = number === 'calls' ? countOf(amount, unit) : parseDuration(amount + unit);
  return increase === null || (number !== 'calls' && unit === '') ? null : { ...of, increase, isShare: false };
}

function countOf(amount: string, unit: string): number | null {
  return unit === '' ? Number(amount) : null;
}

export const limits = parsedList(
  parseLimit,
  "must be 'FUNCTION avg|total|self|calls|p99 +LIMIT', such as 'do_command avg +20%' or 'f p99 +5us'",
);

const { foldRecursion, ...sideFilters } = filters();
const sideSchema = z.strictObject({ ...selection(), ...sideFilters });

const LISTS = ['tid', 'pid', 'cpu', 'inside'];

/** The part of a trace that is one side of a comparison. */
interface SideSelection {
  /** Replaces options of both sides. */
  readonly flags: z.infer<typeof sideSchema>;
  /** As given. */
  readonly text: string;
}

/** "tid=12", "window=+1ms,+2ms": options of the selection, for one side only. */
const side = z.array(z.coerce.string()).transform((texts, context): SideSelection => {
  const properties = Object.keys(sideSchema.shape);
  const values: Record<string, string | string[]> = {};
  for (const text of texts) {
    const [key = '', value = ''] = text.split(/=(.*)/s).map((part) => part.trim());
    const property = properties.find((each) => kebabCase(each) === key);
    if (property === undefined || value === '') {
      context.addIssue({
        code: 'custom',
        message: `must be OPTION=VALUE, such as tid=12, window=+1ms,+2ms or root=f; the options are ${properties.map(kebabCase).join(', ')}`,
      });
      return z.NEVER;
    }
    values[property] = LISTS.includes(property) ? [...(values[property] ?? []), value] : value;
  }
  const parsed = sideSchema.safeParse(values);
  if (parsed.success) return { flags: parsed.data, text: texts.join(' ') };
  for (const { path, message } of parsed.error.issues)
    context.addIssue({ code: 'custom', message: `${kebabCase(String(path[0]))} ${message}` });
  return z.NEVER;
});

const SIDE = 'OPTION=VALUE';
const PICTURES = ['html', 'svg'];

/** The options of `ptflame diff`. */
export const DiffOptions = z.object({
  beforeInput: path,
  afterInput: path.optional(),
  ...group('Output', {
    sort: flag(z.enum(['self', 'total', 'calls', 'avg']).default('self'), 'sort by the change of this column', {
      common: true,
    }),
    top: limit(
      40,
      'maximum number of functions; 0: all (JSON and CSV: all)',
      ['text'],
      'maximum number of rows, 0 for all',
    ),
    json,
    csv,
    output: outputs(
      'write the table as FILE.txt, .csv or .json instead of printing it, or both sides as .svg, .html or .folded; may be repeated',
      'write FILE.txt, .csv, .json, .svg, .html or .folded',
    ),
    format: flag(z.enum(OWN_FORMATS).optional(), 'format of all outputs (default: by the ending of FILE, else folded)'),
  }),
  ...group('Appearance', {
    title: flag(z.string().optional(), 'title of the picture (html, svg; default: the names of the inputs)', {
      formats: PICTURES,
    }),
    icicle: flag(z.boolean().default(false), 'callers on top, callees below, as pages have them (svg)', {
      formats: PICTURES,
    }),
    widthOf: flag(
      z.enum(['larger', 'after', 'before']).default('larger'),
      'what the width of a frame shows: the larger of its times after and before, or one of these (html, svg)',
      { formats: PICTURES },
    ),
    width: flag(
      z.number('must be a number').min(300, 'must be 300 or more').max(20_000, 'must be 20000 or less').optional(),
      'width if no browser window sets it (svg; default: 1200)',
      { value: 'PX', formats: ['svg'] },
    ),
    maxFolded: maxFolded(['folded']),
  }),
  ...group('Comparison', {
    per: flag(
      z.enum(['call', 'second']).optional(),
      'divide times and calls by the calls of the outermost functions (see --root), or by the seconds recorded',
      { common: 'divide by calls of outermost functions, or by seconds' },
    ),
    before: flag(
      side.optional(),
      'compare only this part of BEFORE: an option of the selection, such as tid=12, window=+1ms,+2ms or root=f; may be repeated',
      { value: SIDE },
    ),
    after: flag(
      side.optional(),
      'compare only this part of AFTER, or of BEFORE if AFTER is left out; may be repeated',
      { value: SIDE },
    ),
  }),
  ...group('Limits', {
    failAbove: flag(
      limits.optional(),
      "exit with code 3 if FUNCTION increases by more than this: 'FUNCTION avg|total|self|calls|p99 +20%', or +5us; may be repeated",
      { value: 'LIMIT', common: 'exit with 3 above a limit, such as "parse avg +20%"' },
    ),
    strict: flag(z.boolean().default(false), 'with --fail-above: fail even if the increase is within noise'),
  }),
  ...srcline(),
  ...inline(),
  ...matching(),
  ...shown(),
  ...reading(),
});
export type DiffOptions = z.infer<typeof DiffOptions>;

/** Returns the files of `-o`: pictures or stacks, and tables, undefined if the table is printed. */
function diffFiles({ output, format }: Pick<DiffOptions, 'output' | 'format'>) {
  if (format !== undefined) return { pictures: output ?? ['-'], tables: [] };
  return { pictures: output?.filter((path) => !isTableFile(path)) ?? [], tables: output?.filter(isTableFile) };
}

function diffFormats(options: DiffOptions): (OwnFormat | AnswerFormat)[] {
  const { pictures, tables } = diffFiles(options);
  return [
    ...answerFormats({ ...options, output: tables }),
    ...outputFormats({ ...options, output: pictures }, OWN_FORMATS),
  ];
}

export const command = defineCommand({
  details: 'Differences that may be chance are marked: docs/answers.md#noise. Functions match by exact name.',
  examples: [
    ['ptflame diff old.data new.data', 'by change of self time'],
    ['ptflame diff old.json new.json --sort avg', 'functions whose calls became slower or faster'],
    ['ptflame diff old.data new.data -o diff.html', 'a differential flame graph'],
    ["ptflame diff old.json new.json --fail-above 'do_command avg +20%'", 'exits with 3 if it is slower by more'],
    ['ptflame diff trace.ptf --before tid=12 --after tid=34', 'two threads of one trace'],
    [
      "ptflame diff trace.ptf --before 'inside=f#,1ms' --after 'inside=f#10ms,' --per call --root f",
      'fast and slow calls of a function',
    ],
  ],
  arguments: [
    {
      property: 'beforeInput',
      placeholder: 'BEFORE',
      description: 'a trace or profile, any INPUT of render',
      isFile: true,
    },
    {
      property: 'afterInput',
      placeholder: 'AFTER',
      description: 'another one; may be left out with --before and --after',
      isFile: true,
      isOptional: true,
    },
  ],
  schema: DiffOptions,
  formats: diffFormats,
  run: diff,
});

export async function diff(options: DiffOptions, signal: AbortSignal): Promise<void> {
  const { beforeInput, sort, top, match, per = null, failAbove = [], strict, quiet } = options;
  const afterInput = options.afterInput ?? sameInput(options);
  if (beforeInput === '-' && afterInput === '-') throw bothStandardInput();
  const inputs = [beforeInput, afterInput];
  const outputs = await openDiffOutputs(options, inputs);
  const { tables } = diffFiles(options);
  const table = await openAnswer({ ...options, output: tables }, inputs);
  const sides = {
    before: await read(beforeInput, options, 'before', outputs.wanted, signal),
    after: await read(afterInput, options, 'after', outputs.wanted, signal),
  };
  const [before, after] = [sides.before.profile, sides.after.profile];
  const all = await interruptible(() => diffOf(before, after, { sort, per }));
  const answer = match ? onlyMatching(all, match) : all;
  await outputs.write(sides, answer);
  await table.write({
    json: () => answer,
    text: (width) => diffLines(answer, { width, top, isQuiet: quiet }),
    csv: () => diffCsv(answer, options.srcline),
  });
  if (!quiet) {
    for (const [name, profile] of Object.entries({ before, after }))
      for (const line of qualityLines(profile)) notify(`${name}: ${line}`);
    for (const line of await outputs.lines()) notify(line);
    const text = tables?.find((path) => path.toLowerCase().endsWith('.txt'));
    if (text !== undefined)
      notify(`note: ${text} has the table; for folded stacks, as .txt was in earlier versions, use -o FILE.folded`);
  }
  refuseAbove(all, failAbove, { isStrict: strict, isQuiet: quiet });
}

async function read(
  path: string,
  options: DiffOptions,
  which: 'before' | 'after',
  wanted: Pick<AnalyzeOptions, 'timelineBytes'>,
  signal: AbortSignal,
): ReturnType<typeof loadTimed> {
  const side = options[which];
  const given = Object.fromEntries(Object.entries(side?.flags ?? {}).filter(([, value]) => value !== undefined));
  const flags = { ...options, ...given };
  const inputs = await openInputs([path], flags, signal);
  try {
    return await loadTimed(inputs, flags, { trees: 'together', durations: true, ...wanted }, signal);
  } catch (error) {
    throw side ? ofSide(error, `--${which}`, side) : error;
  }
}

/** Names the option by which nothing is selected. */
function ofSide(error: unknown, option: string, { text }: SideSelection): unknown {
  if (!(error instanceof PtflameError) || error.code !== 'NOTHING_SELECTED') return error;
  return new PtflameError('NOTHING_SELECTED', `${option} ${text}: ${error.message}`, {
    hint: `change ${option}; ptflame render --by thread shows which threads there are`,
    cause: error,
  });
}

function onlyMatching(diff: Diff, match: RegExp): Diff {
  const isFound = nameMatcher(
    match,
    diff.functions.map(({ name }) => name),
  );
  const functions = diff.functions.filter(({ name }) => isFound(name));
  return { ...diff, functions };
}

/** @throws PtflameError BAD_OPTION unless a side is a part of the trace */
function sameInput({ before, after, beforeInput }: DiffOptions): string {
  if (before !== undefined || after !== undefined) return beforeInput;
  throw new PtflameError('BAD_OPTION', 'diff needs AFTER', {
    hint: 'name a second trace, or compare two parts of one: ptflame diff trace.ptf --before tid=12 --after tid=34; see ptflame diff --help',
  });
}

function bothStandardInput(): PtflameError {
  return new PtflameError('BAD_OPTION', 'standard input (-) can be read only once', {
    hint: 'import it first: ptflame import - -o trace.ptf',
  });
}

const NOISE = '~';

interface DiffTextOptions {
  readonly width: number;
  /** Number of functions; 0: all. */
  readonly top: number;
  /** Without remarks on the table. */
  readonly isQuiet: boolean;
}

/** Formats a comparison of two traces as terminal text and as comma-separated values. */
export function diffLines(diff: Diff, { width, top, isQuiet }: DiffTextOptions): string[] {
  const { before, after, functions, quality, per } = diff;
  const heads = [
    ...traceLines(before, quality.before).map((line) => `before: ${line}`),
    ...traceLines(after, quality.after).map((line) => `after:  ${line}`),
    ...(per === null
      ? []
      : [`times and calls are per ${per === 'call' ? 'call of the outermost functions' : 'second'}`]),
  ];
  if (functions.length === 0) return [...heads, '', 'no functions'];
  const changed = functions.filter(isChanged);
  if (changed.length === 0) return [...heads, '', `no differences in ${formatMany(functions.length, 'function')}`];
  const table = (rows: readonly DiffRow[]) =>
    tableLines(rows, [...COLUMNS, ...lineColumns(rows)], { name: nameOf, nameTitle: 'function', width });
  return [...heads, '', ...topLines(changed, top, table), ...(isQuiet ? [] : noteLines(changed, functions.length))];
}

function noteLines(changed: readonly DiffRow[], all: number): string[] {
  const isNoisy = changed.some(({ withinNoise }) => Object.values(withinNoise).includes(true));
  const same = all - changed.length;
  return [
    ...(isNoisy ? [`${NOISE} within noise: calls vary that much anyway`] : []),
    ...(same > 0 ? [`${formatMany(same, 'function')} without differences`] : []),
  ];
}

/** "parse [new]". */
function nameOf({ name, isNew, isGone }: DiffRow): string {
  return isNew ? `[new] ${name}` : isGone ? `[gone] ${name}` : name;
}

const COLUMNS: readonly TableColumn<DiffRow>[] = [
  { title: 'self', text: ({ selfNs }) => formatDuration(selfNs.after), rank: 3 },
  { title: 'Δ self', text: ({ selfNs, withinNoise }) => changeCell(selfNs, withinNoise.selfNs) },
  { title: 'Δ self %', text: ({ selfNs }) => percentCell(selfNs), rank: 4 },
  { title: 'total', text: ({ totalNs }) => formatDuration(totalNs.after), rank: 4 },
  { title: 'Δ total', text: ({ totalNs, withinNoise }) => changeCell(totalNs, withinNoise.totalNs) },
  { title: 'Δ total %', text: ({ totalNs }) => percentCell(totalNs), rank: 4 },
  { title: 'calls', text: ({ calls, inferred }) => callsText(calls.after, inferred.after), rank: 5 },
  { title: 'Δ calls', text: ({ calls }) => countChange(calls.after - calls.before), rank: 1 },
  { title: 'avg', text: ({ avgNs }) => durationCell(avgNs.after), rank: 6 },
  { title: 'Δ avg', text: ({ avgNs, withinNoise }) => changeCell(avgNs, withinNoise.avgNs), rank: 2 },
  { title: 'Δ avg %', text: ({ avgNs }) => percentCell(avgNs), rank: 3 },
  { title: 'Δ p99', text: ({ p99Ns, withinNoise }) => percentileChangeCell(p99Ns, withinNoise.p99Ns), rank: 5 },
  {
    title: 'max',
    text: ({ maxNs, longestCutNs }) => longestCell({ maxNs: maxNs.after, longestCutNs: longestCutNs.after }),
    rank: 6,
  },
];

type Change = DiffRow['avgNs'];

/** Returns "+1.5 ms", "~−20 ns" within noise, "–" if unknown. */
function changeCell({ before, after }: Change, isNoise: boolean): string {
  if (before === null || after === null) return UNKNOWN;
  return `${isNoise ? NOISE : ''}${formatDifference(after - before)}`;
}

/** A percentile stands for a bucket of durations, unless it is short. */
function percentileChangeCell(change: Change, isNoise: boolean): string {
  const isBucket = [change.before, change.after].some((ns) => ns !== null && ns >= EXACT_NS);
  const cell = changeCell(change, isNoise);
  return isBucket && cell !== UNKNOWN ? `≈ ${cell}` : cell;
}

/** Returns "+54.5 %", relative to the number before. */
function percentCell({ before, after }: Change): string {
  if (before === null || after === null || before === 0) return UNKNOWN;
  return formatPercentChange(before, after);
}

/** Also for numbers of calls per call or second. */
function callsText(calls: number, inferred: number): string {
  return inferred === 0
    ? formatAverageCount(calls)
    : `${formatAverageCount(calls - inferred)} of ${formatAverageCount(calls)}`;
}

function countChange(calls: number): string {
  return calls === 0 ? '0' : `${calls > 0 ? '+' : '−'}${formatAverageCount(Math.abs(calls))}`;
}

const CHANGES = ['calls', 'totalNs', 'selfNs', 'outsideNs', 'avgNs', 'p99Ns'] as const;
/** Later additions are appended, so that columns keep their positions. */
const ADDED_CHANGES = ['inferred', 'unwound', 'outsideSelfNs', 'maxNs', 'longestCutNs'] as const;
const NOISY = ['totalNs', 'selfNs', 'avgNs'] as const;

function diffCsv({ functions }: Diff, hasLines: boolean): (string | number | boolean | null)[][] {
  const changes = [...CHANGES, ...ADDED_CHANGES];
  const titles = changes.flatMap((name) => [`${name} before`, `${name} after`]);
  const noise = [...NOISY.map((name) => `${name} noise`), ...NOISY.map((name) => `${name} within noise`)];
  const rows = functions.map((row) => {
    const { name, dso, isStop, isNew, isGone, noise, withinNoise } = row;
    const line = hasLines ? lineCells(row) : [];
    const numbers = changes.flatMap((column) => [row[column].before, row[column].after]);
    const judged = [...NOISY.map((column) => noise[column]), ...NOISY.map((column) => withinNoise[column])];
    return [name, dso, ...numbers, isStop, isNew, isGone, ...judged, withinNoise.p99Ns, ...line];
  });
  const lines = hasLines ? LINE_TITLES : [];
  return [['name', 'dso', ...titles, 'isStop', 'isNew', 'isGone', ...noise, 'p99Ns within noise', ...lines], ...rows];
}

/**
 * Reports which limits were checked, and which functions became slower than they allow.
 *
 * Notes which limits passed, and increases that may be chance, unless `isStrict`.
 *
 * @throws PtflameError ABOVE_LIMIT, NO_SUCH_FUNCTION
 */
function refuseAbove(
  diff: Diff,
  limits: readonly DiffLimit[],
  { isStrict, isQuiet }: { readonly isStrict: boolean; readonly isQuiet: boolean },
): void {
  const isExcused = ({ isWithinNoise }: ExceededLimit) => isWithinNoise && !isStrict;
  const checked = checkLimits(diff, limits);
  if (!isQuiet)
    for (const one of checked) {
      for (const each of one.exceeded.filter(isExcused)) notify(`note: ${excusedText(each)}`);
      if (one.exceeded.every(isExcused)) notify(passedText(one, isStrict));
    }
  const failures = checked.flatMap(({ exceeded }) => exceeded.filter((each) => !isExcused(each)));
  const [first, ...others] = failures;
  if (first === undefined) return;
  if (others.length > 0) for (const each of failures) notify(exceededText(each));
  const what = others.length === 0 ? exceededText(first) : `${failures.length} increases are above their limits`;
  throw new PtflameError('ABOVE_LIMIT', what, {
    hint: 'see what changed: ptflame diff BEFORE AFTER -o diff.html; or raise the limit',
  });
}

/** "passed: f p99 +20 %, checked on 12 functions; 9 of them cannot fail, with too few calls for p99 (…)". */
function passedText({ limit, compared, notCompared, unbounded }: CheckedLimit, isStrict: boolean): string {
  const checked = `passed: ${visibleText(patternText(limit.functions))} ${limit.number} ${allowedText(limit)}, checked on ${formatMany(compared, 'function')}`;
  const tooFew =
    unbounded === 0 || isStrict
      ? []
      : [
          `${unbounded === compared ? (compared === 1 ? 'it' : 'all') : `${formatCount(unbounded)} of them`} cannot fail: too few calls for p99 (${ENOUGH}); --strict judges ${compared === 1 ? 'it' : 'them'}`,
        ];
  const missing =
    notCompared === 0
      ? []
      : [`${formatCount(notCompared)} not compared: a side has no ${limit.number === 'p99' ? 'p99' : 'complete call'}`];
  return [checked, ...tooFew, ...missing].join('; ');
}

/** Fewer calls than these do not bound a 99th percentile. */
const ENOUGH = 'it takes some 900';

/** Returns "do_command: avg 3.3 ms → 5.1 ms, +54.5 %, is above +20 %". */
function exceededText({ limit, row, before, after }: ExceededLimit): string {
  const { number } = limit;
  const percent = before > 0 ? `, ${formatPercentChange(before, after)}` : '';
  return `${row.name}: ${number} ${numberText(limit, before)} → ${numberText(limit, after)}${percent}, is above ${allowedText(limit)}`;
}

function excusedText(each: ExceededLimit): string {
  return `${exceededText(each)}, but within noise: ${noiseText(each)}; not a failure (--strict makes it one)`;
}

/** "of 8 calls before and 9 after, differences up to 1.4 µs may be chance". */
function noiseText({ limit: { number }, row }: ExceededLimit): string {
  const { complete, p99Range, noise } = row;
  const calls = `${formatMany(complete.before, 'call')} before and ${formatCount(complete.after)} after`;
  if (number !== 'p99') {
    const ns = number === 'avg' ? noise.avgNs : number === 'self' ? noise.selfNs : noise.totalNs;
    return `with ${calls}, differences up to ${formatDuration(ns ?? 0)} may be chance`;
  }
  if (isUnbounded(row)) return `${calls}, too few before to bound p99 (${ENOUGH})`;
  const [high, low] = [p99Range.before?.highNs ?? 0, p99Range.after?.lowNs ?? 0];
  return `with ${calls}, p99 may be up to ${formatDuration(high)} before, and down to ${formatDuration(low)} after`;
}

function numberText({ number }: DiffLimit, value: number): string {
  return number === 'calls' ? formatAverageCount(value) : formatDuration(value);
}

/** "+20 %", "+5 µs". */
function allowedText(limit: DiffLimit): string {
  const { increase, isShare } = limit;
  return isShare ? `+${Number((100 * increase).toPrecision(6))} %` : `+${numberText(limit, increase)}`;
}

type Side = Awaited<ReturnType<typeof loadTimed>>;

/** Writes comparisons to files. */
interface DiffOutputs {
  /** What they show of both sides besides profiles. */
  readonly wanted: Pick<AnalyzeOptions, 'timelineBytes'>;
  write(sides: Readonly<Record<'before' | 'after', Side>>, answer: Diff): Promise<void>;
  /** The lines about the files that were written. */
  lines(): Promise<string[]>;
}

/** Opens the outputs before the work begins. `inputs`: paths that are read. */
async function openDiffOutputs(options: DiffOptions, inputs: readonly string[]): Promise<DiffOutputs> {
  const { pictures: paths } = diffFiles(options);
  const formats = outputFormats({ ...options, output: paths }, OWN_FORMATS);
  const written = paths.map((path, at) => ({ path, format: formats[at] as OwnFormat }));
  const opened: { output: Output; format: OwnFormat }[] = [];
  for (const { path, format } of written) opened.push({ output: await openOutput(path, inputs), format });
  const strips = formats.includes('html') ? await import('../../src/page/contents/compared-strips.js') : null;
  return {
    wanted: strips?.STRIPS_ALONE ?? {},
    async write({ before, after }, answer) {
      if (opened.length === 0) return;
      const ofBoth = strips?.stripsOfBoth(before.timeline, after.timeline) ?? null;
      const render = await rendererOf(before.profile, after.profile, ofBoth, answer, options, inputs, formats);
      await writeAll(opened.map(({ output, format }) => ({ output, chunks: () => render(format) })));
    },
    lines: () => writtenLines(written, []),
  };
}

async function rendererOf(
  before: Profile,
  after: Profile,
  strips: Side['timeline'],
  answer: Diff,
  options: DiffOptions,
  inputs: readonly string[],
  formats: readonly Format[],
): Promise<(format: OwnFormat) => Chunks> {
  const [{ compareProfiles }, { diffFoldedBytes, renderDiffFolded }, { renderComparedHtml }, { renderDiffSvg }] =
    await Promise.all([
      import('../../src/render/diff/comparison.js'),
      import('../../src/render/diff/folded.js'),
      import('../../src/page/html.js'),
      import('../../src/render/diff/picture.js'),
    ]);
  const { per = null, icicle, widthOf, width, maxFolded } = options;
  const comparison = compareProfiles(before, after, per);
  if (formats.includes('folded')) refuseLargeStacks('the folded stacks are', diffFoldedBytes(comparison), maxFolded);
  const look = { title: options.title ?? titleOf(options, inputs), icicle, widthOf };
  return (format) => {
    switch (format) {
      case 'json':
        return [`${safeJson(JSON.stringify(answer, null, 2))}\n`];
      case 'folded':
        return renderDiffFolded(comparison);
      case 'svg':
        return renderDiffSvg(comparison, { ...look, ...(width !== undefined && { widthPx: width }) });
      case 'html':
        return renderComparedHtml(comparison, { title: look.title, widthOf }, strips);
    }
  };
}

/** Returns "old.data → new.data", or "trace.ptf tid=12 → trace.ptf tid=34". */
function titleOf({ before, after }: DiffOptions, inputs: readonly string[]): string {
  const names = inputs.map((path) => (path === '-' ? 'standard input' : basename(path)));
  const sides = [before, after].map((side, at) => [names[at], ...(side ? [side.text] : [])].join(' '));
  return sides.join(' → ');
}

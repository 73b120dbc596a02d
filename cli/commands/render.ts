/**
 * `ptflame render`: draws flame graphs and writes folded stacks or profiles.
 */

import * as z from 'zod';
import type { LongestCalls } from '../../src/model/calls/call-events.js';
import { PtflameError } from '../../src/model/errors.js';
import type { Profile } from '../../src/model/profile/profile.js';
import type { AskForRequests, PageContents } from '../../src/page/contents/analyze-for-page.js';
import type { PageTrigger, TriggeringCall } from '../../src/page/contents/page-trigger.js';
import type { FunctionPattern } from '../../src/pipeline/replay/find-functions.js';
import { formatDuration, formatMany } from '../../src/render/format.js';
import { collapseLibraries } from '../../src/render/frames/collapse.js';
import { visibleText } from '../../src/render/visible-text.js';
import { triggerOf } from '../input/captures.js';
import { type CommandInput, openInputs } from '../input/open-inputs.js';
import type { SourceOfCalls } from '../input/source-files.js';
import { loadPageContents, loadProfile, requireTraces, withProgress } from '../input/traces.js';
import { functionPattern, span } from '../options/question-values.js';
import {
  collapsing,
  decoding,
  filters,
  general,
  INPUTS,
  inline,
  maxFolded,
  outputs,
  replaying,
  resources,
  selection,
  source,
  srcline,
} from '../options/shared.js';
import { detailSize, path } from '../options/values.js';
import type { CallsSpool } from '../output/calls-spool.js';
import { firstFinding } from '../output/findings.js';
import {
  FORMATS,
  FORMATS_OF_CALLS,
  FORMATS_OVER_TIME,
  type Format,
  isOverTime,
  outputFormats,
} from '../output/formats.js';
import { notifyQuality } from '../output/lines.js';
import { type Output, openOutput, refuseTerminal, writeAll } from '../output/outputs.js';
import { refuseLarge } from '../output/refuse-large.js';
import { loadRenderer, type Renderer } from '../output/renderers.js';
import { isStandardOutput } from '../output/write-chunks.js';
import { writtenLines } from '../output/written-files.js';
import { notify } from '../terminal/notify.js';
import { defineCommand } from '../usage/define-command.js';
import { flag, group } from '../usage/flag.js';

/** Defaults are those of the library. */
const appearance = group('Appearance', {
  title: flag(z.string().optional(), 'title of the picture (html, svg)', {
    formats: ['html', 'svg'],
    common: 'title of the picture',
  }),
  icicle: flag(z.boolean().default(false), 'callers on top, callees below, as pages have them (svg)', {
    formats: ['html', 'svg'],
    common: 'callers on top, callees below',
  }),
  width: flag(
    z.number('must be a number').min(300, 'must be 300 or more').max(20_000, 'must be 20000 or less').optional(),
    'width if no browser window sets it (svg; default: 1200)',
    { value: 'PX', formats: ['svg'] },
  ),
  minPx: flag(
    z.number('must be a number').min(0, 'must be 0 or more').optional(),
    'merge neighbouring frames that are narrower (svg; default: a third of a pixel)',
    { value: 'PX', formats: ['svg'] },
  ),
  by: flag(
    z.enum(['none', 'thread', 'process', 'comm']).default('none'),
    'add a root frame for each thread, process or command name (svg, folded)',
    { formats: ['svg', 'folded'], common: 'a root frame for each of them' },
  ),
  timeDetail: flag(
    detailSize.default(4 * 2 ** 20),
    'maximum size of the timeline in a page, such as 16M for a finer one; 0: none (html; default: 4M)',
    { value: 'SIZE', formats: ['html'] },
  ),
  requests: flag(
    functionPattern.optional(),
    'show each call of FUNCTION as a request, as ptflame requests does (html)',
    { value: 'FUNCTION', formats: ['html'], common: 'show the calls of FUNCTION as requests' },
  ),
  source: source(['html']),
  annotate: flag(z.boolean().default(false), 'add calls, inferred calls and the average in ns to each name (folded)', {
    formats: ['folded'],
  }),
  minNs: flag(
    z.number('must be a number').min(0, 'must be 0 or more').default(0),
    'leave out paths with less self time (folded)',
    { value: 'NS', formats: ['folded'] },
  ),
  maxFolded: maxFolded(['folded', 'pprof']),
});

/** A page collapses libraries itself. */
const SUMS: readonly Format[] = FORMATS.filter(
  (format) => format !== 'html' && !FORMATS_OF_CALLS.some((ofCalls) => ofCalls === format),
);

/** Defaults are those of the library, too. */
const calls = group('Selection', {
  minCall: flag(span.default(0), `leave out calls that lasted shorter, such as 1us (${FORMATS_OF_CALLS.join(', ')})`, {
    value: 'DURATION',
    formats: FORMATS_OF_CALLS,
  }),
  maxCalls: flag(
    z
      .number('must be a number')
      .int('must be a whole number')
      .min(1, 'must be 1 or more')
      .max(1e9, 'must be 1000000000 or less')
      .default(500_000),
    `leave out the shortest of more calls (${FORMATS_OVER_TIME.join(', ')}; default: 500000)`,
    { formats: FORMATS_OVER_TIME },
  ),
});

/** The options of `ptflame render`. */
export const RenderOptions = z.object({
  inputs: z.array(path).min(1),
  ...group('Output', {
    output: outputs(
      'where to write; - is standard output (default); may be repeated',
      'where to write; the ending of FILE selects the format',
    ),
    format: flag(
      z.enum(FORMATS).optional(),
      `format of all outputs (default: by the ending of FILE, else folded): ${FORMATS.join(', ')}`,
      { value: 'FORMAT' },
    ),
  }),
  ...group('Selection', {
    blockedBy: flag(
      z.boolean().default(false),
      'only blocked time: stacks that waited, and above them, upside down, those of the threads that they waited for',
      { common: 'only blocked time, and for whom threads waited' },
    ),
  }),
  ...srcline(),
  ...inline(),
  ...appearance,
  ...collapsing(SUMS),
  ...selection(),
  ...filters(),
  ...calls,
  ...replaying(),
  ...group('Replay', {
    byCalls: flag(
      z.boolean().default(false),
      'accept a trace without times; the width of frames is their number of calls',
    ),
  }),
  ...decoding(),
  ...resources(),
  ...general(),
});
export type RenderOptions = z.infer<typeof RenderOptions>;

export const command = defineCommand({
  examples: [
    ['ptflame render perf.data -o flame.html', 'an interactive report for the browser'],
    [
      'ptflame render trace.txt -o out.folded -o flame.svg --icicle',
      'folded stacks, and a picture with callers on top',
    ],
    ['perf script … | ptflame render - > out.folded', 'in a pipe'],
    ['ptflame render cpu*.txt.gz --by thread -o threads.svg', 'several files, with a root frame per thread'],
    ['ptflame render trace.txt -o out.json', 'the complete profile, which can be rendered instead of the trace'],
    ['ptflame render trace.ptf -o out.pb.gz', 'for pprof; docs/exports.md lists what other tools read'],
    [
      'ptflame render trace.ptf -o out.pftrace -o out.firefox.json --min-call 1us',
      'calls over time, for Perfetto and for Firefox Profiler',
    ],
  ],
  arguments: [INPUTS],
  schema: RenderOptions,
  formats: (options) => outputFormats(options, FORMATS),
  run: (options, signal) => render(options, outputFormats(options, FORMATS), signal),
});

/** `formats`: of the outputs, in their order. */
export async function render(options: RenderOptions, formats: readonly Format[], signal: AbortSignal): Promise<void> {
  refuseTerminal(options, formats);
  if (options.blockedBy) refuseCalls(formats);
  if (options.requests !== undefined) refuseRequests(options);
  if (options.source !== undefined) refuseSource(options);
  const open = (quiet: boolean) => openInputs(options.inputs, { ...options, quiet }, signal);
  const reopen = () => open(true); // notes were given the first time
  await renderInputs(await open(options.quiet), options.inputs, options, formats, signal, reopen);
}

/** Requests are single calls of a trace. */
function refuseRequests({ blockedBy, byCalls }: RenderOptions): void {
  const refuse = (why: string, hint: string) => new PtflameError('BAD_OPTION', `--requests ${why}`, { hint });
  if (blockedBy) throw refuse('and --blocked-by are different pages', 'leave one of them out');
  if (byCalls) throw refuse('needs times, and --by-calls is for traces without them', 'leave one of them out');
}

/** Lines have the calls of all that is shown. */
function refuseSource({ blockedBy, byCalls, inside, root, foldRecursion }: RenderOptions): void {
  const refuse = (why: string) => new PtflameError('BAD_OPTION', `--source ${why}`, { hint: 'leave one of them out' });
  if (blockedBy) throw refuse('and --blocked-by are different pages');
  if (byCalls) throw refuse('needs times, and --by-calls is for traces without them');
  if (inside || root !== undefined || foldRecursion)
    throw refuse('shows all calls, and --inside, --root and --fold-recursion leave some out');
}

function refuseCalls(formats: readonly Format[]): void {
  const format = formats.find((own) => FORMATS_OF_CALLS.some((name) => name === own));
  if (format === undefined) return;
  throw new PtflameError('BAD_OPTION', `--blocked-by sums up waits, but ${format} shows single calls`, {
    hint: 'leave out --blocked-by, or choose another format; see --help',
  });
}

/** Renders opened inputs, also for `demo`. `names`: paths of inputs that can be read again. `reopen`: opens them again. */
export async function renderInputs(
  inputs: readonly CommandInput[],
  names: readonly string[],
  options: RenderOptions,
  formats: readonly Format[],
  signal: AbortSignal,
  reopen: () => Promise<readonly CommandInput[]> = async () => inputs,
): Promise<void> {
  const written = (options.output ?? ['-']).map((path, at) => ({ path, format: formats[at] }));
  const outputs: { output: Output; format: Format }[] = [];
  for (const { path, format } of written) outputs.push({ output: await openOutput(path, names), format });
  const trees = options.by !== 'none' || outputs.some(({ format }) => isByThread(format)) ? 'apart' : 'together';
  const wanted = { trees, durations: outputs.some(({ format }) => format === 'json' || format === 'html') } as const;
  const calls = formats.includes('parquet') ? await callsSpool(options) : null;
  const sourceOf = options.source === undefined ? null : await loadSource(options.source);
  const { profile, lineCalls, ...extras } = await loadRendered(
    calls ? await requireTraces(inputs) : inputs,
    options,
    calls ? { ...wanted, callRows: calls.question } : wanted,
    formats,
    signal,
  );
  const call = formats.includes('html') ? triggerOf(names) : null;
  const contents = { profile, timeline: extras.timeline };
  const trigger = call && (await loadTrigger(call, await reopen(), options, contents, signal));
  await refuseLarge(profile, formats, options);
  // Upside down, only the ends of paths have time of their own.
  const shown = options.blockedBy ? { ...options, minNs: Math.max(1, options.minNs) } : options;
  const collapsed = collapseLibraries(profile, options.collapse, options.fold);
  const renderers = await Promise.all(outputs.map(({ format }) => loadRenderer(format, shown)));
  await writeAll(
    outputs.map(({ output, format }, at) => ({
      output,
      chunks: () =>
        (renderers[at] as Renderer)(SUMS.includes(format) ? collapsed : profile, {
          ...extras,
          calls,
          source: sourceOf?.(lineCalls ?? [], profile.symbols) ?? null,
          trigger,
        }),
    })),
  );
  if (options.quiet) return;
  await notifyQuality(profile, options);
  const finding = firstFinding(profile, extras.waits);
  if (finding !== null) notify(`finding: ${finding}`);
  if (extras.longestCalls) notifyLeftOut(extras.longestCalls, options, formats);
  for (const line of await writtenLines(written, names, options)) notify(line);
}

/** No other output needs it. */
async function loadSource(directory: string): Promise<SourceOfCalls> {
  return (await import('../input/source-files.js')).sourceIn(directory);
}

/** Says on the page of a snapshot which call it is of, and why that was slow, for which the snapshot is read once more. */
async function loadTrigger(
  call: TriggeringCall,
  inputs: readonly CommandInput[],
  options: RenderOptions,
  { profile, timeline }: Pick<PageContents, 'profile' | 'timeline'>,
  signal: AbortSignal,
): Promise<PageTrigger> {
  const { pageTrigger } = await import('../../src/page/contents/page-trigger.js'); // no other output needs it
  const { whySlow } = await import('../answers/why-slow.js');
  const why = await whySlow(call, inputs, options, signal);
  return pageTrigger(call, profile, timeline?.startNs ?? profile.meta.startNs, why);
}

/** Says which calls are not in outputs over time. */
function notifyLeftOut({ leftOut, minNs }: LongestCalls, options: RenderOptions, formats: readonly Format[]): void {
  if (leftOut === 0) return;
  const files = (options.output ?? ['-']).filter((_, at) => isOverTime(formats[at] as Format));
  const names = files.map((path) => (isStandardOutput(path) ? 'the output' : visibleText(path))).join(', ');
  const more = minNs > options.minCall ? ': --max-calls N or --window shows more' : '';
  notify(`${formatMany(leftOut, 'call')} shorter than ${formatDuration(minNs)} are not in ${names}${more}`);
}

async function callsSpool({ minCall, tempDir }: RenderOptions): Promise<CallsSpool> {
  return new (await import('../output/calls-spool.js')).CallsSpool({ id: null, minNs: minCall }, tempDir);
}

/** The output shows each thread on its own. */
function isByThread(format: Format): boolean {
  return format !== 'folded' && format !== 'svg';
}

/** A page has bytes as base64. */
const BYTES_PER_CHARACTER = 3 / 4;

/** Without a page that says how fine it is: for wakings and counters. */
const TIMELINE_BYTES = 2 ** 22;

async function loadRendered(
  inputs: readonly CommandInput[],
  options: RenderOptions,
  wanted: Parameters<typeof loadProfile>[2],
  formats: readonly Format[],
  signal: AbortSignal,
): ReturnType<typeof loadPageContents> {
  const isAlone = { waits: null, timeline: null, longestCalls: null };
  if (options.blockedBy) return { profile: await loadBlockedTime(inputs, options, signal), ...isAlone };
  const showsTime = formats.some(isOverTime);
  if (!showsTime && !formats.includes('html'))
    return { profile: await loadProfile(inputs, options, wanted, signal), ...isAlone };
  const { minCall: minNs, maxCalls } = options;
  const contents = { ...wanted, timelineBytes: timelineBytes(options, formats) };
  const longestCalls = showsTime && { longestCalls: { minNs, maxCalls } };
  const requests = options.requests === undefined ? null : await askForRequests(options.requests);
  return loadPageContents(inputs, options, { ...contents, ...longestCalls }, signal, requests);
}

/** No other output needs it. */
async function askForRequests(root: FunctionPattern): Promise<AskForRequests> {
  return (await import('../../src/page/contents/page-requests.js')).requestsForPage(root);
}

function timelineBytes({ timeDetail }: RenderOptions, formats: readonly Format[]): number {
  if (formats.includes('html')) return timeDetail * BYTES_PER_CHARACTER;
  return formats.includes('perfetto') ? TIMELINE_BYTES : 0;
}

/**
 * Loads the profile of `ptflame render --blocked-by`.
 *
 * @throws PtflameError BAD_OPTION for a trace without times, in which nobody waits
 */
async function loadBlockedTime(
  inputs: readonly CommandInput[],
  options: RenderOptions,
  signal: AbortSignal,
): Promise<Profile> {
  if (options.byCalls)
    throw new PtflameError('BAD_OPTION', '--blocked-by shows times, and --by-calls is for traces without them', {
      hint: 'leave out --by-calls',
    });
  const traces = await requireTraces(inputs);
  const { profileBlockedTime } = await import('../../src/questions/waits/blocked-by.js'); // no other graph needs it
  const { profile } = await withProgress(traces, options, signal, async (analyzing) => ({
    profile: await profileBlockedTime(traces, analyzing),
  }));
  if (profile.threads.length === 0) notify(`warning: no thread was seen blocked${emptyBecause(profile, options)}`);
  return profile;
}

function emptyBecause({ meta }: Profile, { window, root, inside }: RenderOptions): string {
  if (meta.hasSwitches === false)
    return ': no switches of threads were recorded, so the graph is empty; record with ptflame record --waits, and decode text with perf script --show-switch-events';
  return window || root !== undefined || inside
    ? ' in the selected time and calls: the graph is empty'
    : ': the graph is empty';
}

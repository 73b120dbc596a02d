/**
 * `ptflame render`: draws flame graphs and writes folded stacks or profiles.
 */

import type { LongestCalls } from '../../src/model/calls/call-events.js';
import { PtflameError } from '../../src/model/errors.js';
import { formatDuration, formatMany } from '../../src/render/format.js';
import { visibleText } from '../../src/render/visible-text.js';
import { type CommandInput, openInputs } from '../input/open-inputs.js';
import { loadPageContents, loadProfile, requireTraces } from '../input/traces.js';
import { RenderOptions } from '../options/render.js';
import type { CallsSpool } from '../output/calls-spool.js';
import { FORMATS, FORMATS_OF_CALLS, type Format, isOverTime, outputFormats } from '../output/formats.js';
import { notifyQuality } from '../output/lines.js';
import { isStandardOutput, type Output, openOutput, writeAll } from '../output/outputs.js';
import { refuseLarge } from '../output/refuse-large.js';
import { refuseTerminal } from '../output/refuse-terminal.js';
import { loadRenderer, type Renderer } from '../output/renderers.js';
import { writtenLines } from '../output/written-files.js';
import { notify } from '../terminal/notify.js';
import { defineCommand } from '../usage/define-command.js';
import { INPUTS } from './arguments.js';

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
  const inputs = await openInputs(options.inputs, options, signal);
  await renderInputs(inputs, options.inputs, options, formats, signal);
}

function refuseCalls(formats: readonly Format[]): void {
  const format = formats.find((own) => FORMATS_OF_CALLS.some((name) => name === own));
  if (format === undefined) return;
  throw new PtflameError('BAD_OPTION', `--blocked-by sums up waits, but ${format} shows single calls`, {
    hint: 'leave out --blocked-by, or choose another format; see --help',
  });
}

/** Renders opened inputs, also for `demo`. `names`: paths of inputs that can be read again. */
export async function renderInputs(
  inputs: readonly CommandInput[],
  names: readonly string[],
  options: RenderOptions,
  formats: readonly Format[],
  signal: AbortSignal,
): Promise<void> {
  const written = (options.output ?? ['-']).map((path, at) => ({ path, format: formats[at] }));
  const outputs: { output: Output; format: Format }[] = [];
  for (const { path, format } of written) outputs.push({ output: await openOutput(path, names), format });
  const trees = options.by !== 'none' || outputs.some(({ format }) => isByThread(format)) ? 'apart' : 'together';
  const wanted = { trees, durations: outputs.some(({ format }) => format === 'json' || format === 'html') } as const;
  const calls = formats.includes('parquet') ? await callsSpool(options) : null;
  const { profile, ...extras } = await loadRendered(
    calls ? await requireTraces(inputs) : inputs,
    options,
    calls ? { ...wanted, callRows: calls.question } : wanted,
    formats,
    signal,
  );
  await refuseLarge(profile, formats, options);
  // Upside down, only the ends of paths have time of their own.
  const shown = options.blockedBy ? { ...options, minNs: Math.max(1, options.minNs) } : options;
  const renderers = await Promise.all(outputs.map(({ format }) => loadRenderer(format, shown)));
  await writeAll(
    outputs.map(({ output }, at) => ({
      output,
      chunks: () => (renderers[at] as Renderer)(profile, { ...extras, calls }),
    })),
  );
  if (options.quiet) return;
  await notifyQuality(profile, options);
  if (extras.longestCalls) notifyLeftOut(extras.longestCalls, options, formats);
  for (const line of await writtenLines(written, names, options)) notify(line);
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
  if (options.blockedBy) {
    const { loadBlockedTime } = await import('./blocked-time.js');
    return { profile: await loadBlockedTime(inputs, options, signal), waits: null, timeline: null, longestCalls: null };
  }
  if (formats.includes('html') || formats.some(isOverTime)) {
    const { minCall: minNs, maxCalls } = options;
    const longestCalls = formats.some(isOverTime) && { longestCalls: { minNs, maxCalls } };
    return loadPageContents(
      inputs,
      options,
      { ...wanted, timelineBytes: timelineBytes(options, formats), ...longestCalls },
      signal,
    );
  }
  return {
    profile: await loadProfile(inputs, options, wanted, signal),
    waits: null,
    timeline: null,
    longestCalls: null,
  };
}

function timelineBytes({ timeDetail }: RenderOptions, formats: readonly Format[]): number {
  if (formats.includes('html')) return timeDetail * BYTES_PER_CHARACTER;
  return formats.includes('perfetto') ? TIMELINE_BYTES : 0;
}

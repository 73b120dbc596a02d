/**
 * `ptflame latency`: shows how long the calls of a function took, and why.
 */

import { askLatency, type LatencyResult } from '../../src/pipeline/analyze.js';
import type { FunctionPattern } from '../../src/pipeline/replay/find-functions.js';
import { latencyAnswer } from '../../src/questions/latency/answer.js';
import type { ChildRow, Latency } from '../../src/questions/schema.js';
import { formatBounds } from '../../src/render/format.js';
import { latencyLines } from '../answers/latency.js';
import { LINE_TITLES, lineCells } from '../answers/source-lines.js';
import { type CommandInput, openInputs } from '../input/open-inputs.js';
import { requireTraces, withProgress } from '../input/traces.js';
import { LatencyOptions, latencyFiles, latencyFormats, latencyPattern } from '../options/questions/latency.js';
import { openAnswer } from '../output/answer.js';
import { notifyQuality } from '../output/lines.js';
import { type Output, openOutput, writeAll } from '../output/outputs.js';
import { writtenLines } from '../output/written-files.js';
import { notify } from '../terminal/notify.js';
import { defineCommand } from '../usage/define-command.js';
import { TRACES } from './arguments.js';
import { loadPlot, refusePlots, wantsPlot } from './latency-plot.js';

export const command = defineCommand({
  details: 'Shows the distribution of durations, callees, callers, and how the slowest calls differ.',
  examples: [
    ['ptflame latency do_command perf.data', 'distribution, callees, callers and paths'],
    ['ptflame latency do_command trace.txt --slowest 3', 'the longest calls, compared with the average'],
    ['ptflame latency do_command trace.txt --latency 1ms, --by caller', 'only calls of at least 1 ms, by caller'],
    [
      "ptflame latency trx_commit trace.txt --inside 'do_command#10ms,'",
      'its calls inside slow calls of another function',
    ],
    ["ptflame latency '/^lock_/' trace.txt", 'several functions together'],
    ['ptflame latency do_command trace.txt --timeline', 'when its calls began, and how long they took'],
    ['ptflame latency do_command trace.txt --heatmap -o calls.svg', 'the same as a heat map, in a picture'],
  ],
  arguments: [
    { property: 'function', placeholder: 'FUNCTION', description: 'an exact name or /a regular expression/' },
    TRACES,
  ],
  schema: LatencyOptions,
  formats: latencyFormats,
  run: (options, signal) => latency(options, latencyPattern(options), signal),
});

export async function latency(options: LatencyOptions, pattern: FunctionPattern, signal: AbortSignal): Promise<void> {
  refusePlots(options);
  const { tables, plots } = latencyFiles(options);
  const inputs = await requireTraces(await openInputs(options.inputs, options, signal));
  const outputs: Output[] = [];
  for (const path of plots) outputs.push(await openOutput(path, options.inputs));
  const table = await openAnswer({ ...options, output: tables }, options.inputs);
  const { profile, calls, functions } = await askAbout(pattern, inputs, options, signal);
  const answer = latencyAnswer(profile, calls, functions);
  const { top, by } = options;
  const bounds = options.latency ? `calls of ${formatBounds(options.latency)}` : null;
  const text = (width: number) =>
    latencyLines(answer, { pattern: options.function, bounds, width, top, byCaller: by === 'caller' });
  const plot = await loadPlot(answer, options, bounds);
  if (plot !== null) await writeAll(outputs.map((output) => ({ output, chunks: () => plot.svg(profile) })));
  const lines = (width: number) => plot?.lines(width) ?? text(width);
  await table.write({ json: () => answer, text: lines, csv: () => csvRows(answer, options) });
  await notifyQuality(profile, options);
  if (!options.quiet) for (const line of await writtenLines(plots.map(svgFile), options.inputs, options)) notify(line);
}

function svgFile(path: string) {
  return { path, format: 'svg' } as const;
}

function askAbout(
  functions: FunctionPattern,
  inputs: readonly CommandInput[],
  options: LatencyOptions,
  signal: AbortSignal,
): Promise<LatencyResult> {
  const { latency: bounds = {}, slowest } = options;
  const overTime = wantsPlot(options);
  return withProgress(inputs, options, signal, (analyzing) =>
    askLatency(
      inputs,
      { functions, ...bounds, slowest, overTime },
      { ...analyzing, trees: 'together', durations: true },
    ),
  );
}

const COLUMNS = 'name dso calls totalNs outsideNs offCpuNs onCpuNs avgNs perCallNs share inferred'.split(
  ' ',
) as Exclude<keyof ChildRow, 'srcline'>[];

function csvRows(
  { children, callers }: Latency,
  { by, srcline }: LatencyOptions,
): (string | number | boolean | null)[][] {
  const columns = [...COLUMNS, ...(srcline ? LINE_TITLES : [])];
  const cells = (row: ChildRow) => [...COLUMNS.map((column) => row[column]), ...(srcline ? lineCells(row) : [])];
  if (by !== 'caller') return [columns, ...children.map(cells)];
  return [
    ['caller', ...columns],
    ...callers.flatMap(({ name, children: own }) => own.map((row) => [name, ...cells(row)])),
  ];
}

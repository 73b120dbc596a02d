/**
 * `ptflame latency`: shows how long the calls of a function took, and why.
 */

import { askLatency, type LatencyResult } from '../../../src/pipeline/analyze.js';
import type { FunctionPattern } from '../../../src/pipeline/replay/questions/find-functions.js';
import { latencyAnswer } from '../../../src/questions/latency/answer.js';
import type { ChildRow, Latency } from '../../../src/questions/schema.js';
import { formatBounds } from '../../../src/render/format.js';
import { latencyLines } from '../../answers/latency.js';
import { LINE_TITLES, lineCells } from '../../answers/source-lines.js';
import { type CommandInput, openInputs } from '../../input/open-inputs.js';
import { requireTraces, withProgress } from '../../input/traces.js';
import { type LatencyOptions, latencyFiles } from '../../options/questions/latency.js';
import { openAnswer } from '../../output/answer.js';
import { notifyQuality } from '../../output/lines.js';
import { type Output, openOutput, writeAll } from '../../output/outputs.js';
import { writtenLines } from '../../output/written-files.js';
import { notify } from '../../terminal/notify.js';
import { loadPlot, refusePlots, wantsPlot } from './latency-plot.js';

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

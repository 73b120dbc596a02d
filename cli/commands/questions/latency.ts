/**
 * `ptflame latency`: shows how long the calls of a function took, and why.
 */

import { type ChildRow, type Latency, latencyAnswer } from '../../../src/answers.js';
import { askLatency, type FunctionPattern, type LatencyResult } from '../../../src/index.js';
import { formatBounds } from '../../../src/text.js';
import { latencyLines } from '../../answers/latency.js';
import { type CommandInput, openInputs } from '../../input/open-inputs.js';
import { requireTraces, withProgress } from '../../input/traces.js';
import type { LatencyOptions } from '../../options/latency.js';
import { refuseTwoFormats, writeAnswer } from '../../output/answer.js';
import { notifyQuality } from '../../quality/lines.js';
import { tableWidth } from '../../terminal/width.js';

export async function latency(options: LatencyOptions, pattern: FunctionPattern, signal: AbortSignal): Promise<void> {
  refuseTwoFormats(options);
  const inputs = await requireTraces(await openInputs(options.inputs, options, signal));
  const { profile, calls, functions } = await askAbout(pattern, inputs, options, signal);
  const answer = latencyAnswer(profile, calls, functions);
  const { top, byCaller } = options;
  const bounds = options.latency ? `calls of ${formatBounds(options.latency)}` : null;
  const text = () => latencyLines(answer, { pattern: options.function, bounds, width: tableWidth(), top, byCaller });
  await writeAnswer({ json: () => answer, text, csv: () => csvRows(answer, byCaller) }, options);
  await notifyQuality(profile, options);
}

function askAbout(
  functions: FunctionPattern,
  inputs: readonly CommandInput[],
  options: LatencyOptions,
  signal: AbortSignal,
): Promise<LatencyResult> {
  const { latency: bounds = {}, slowest } = options;
  return withProgress(inputs, options, signal, (analyzing) =>
    askLatency(inputs, { functions, ...bounds, slowest }, { ...analyzing, trees: 'together', durations: true }),
  );
}

const COLUMNS = 'name dso calls totalNs outsideNs offCpuNs onCpuNs avgNs perCallNs share inferred'.split(
  ' ',
) as (keyof ChildRow)[];

function csvRows({ children, callers }: Latency, byCaller: boolean): (string | number | boolean | null)[][] {
  const cells = (row: ChildRow) => COLUMNS.map((column) => row[column]);
  if (!byCaller) return [COLUMNS, ...children.map(cells)];
  return [
    ['caller', ...COLUMNS],
    ...callers.flatMap(({ name, children: own }) => own.map((row) => [name, ...cells(row)])),
  ];
}

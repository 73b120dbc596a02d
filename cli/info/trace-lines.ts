/**
 * Prints the description of an imported trace as text.
 */

import { formatBytes, formatCount, formatDuration, formatMany } from '../../src/render/format.js';
import { visibleText as escapeForTerminal, shellWords } from '../../src/render/visible-text.js';
import { alignColumns } from '../terminal/columns.js';
import { sampleTexts } from './sample-texts.js';
import type { TraceInfo } from './trace-info.js';

const MAX_THREADS = 20;

/** Escapes control characters: names in a trace are untrusted. */
export function traceLines(info: TraceInfo): string[] {
  const { threads, brokenInputs } = info;
  const largest = threads.toSorted((a, b) => b.events - a.events || a.tid - b.tid).slice(0, MAX_THREADS);
  const others = threads.length - largest.length;
  const rows = largest.map(({ tid, events, cpus }) => [
    `  ${tid}`,
    formatMany(events, 'event'),
    `on ${formatMany(cpus.length, 'CPU')}`,
  ]);
  const lines = [
    ...alignColumns(summaryRows(info), ['left', 'left']),
    ...alignColumns(rows, ['left', 'right', 'left']),
    ...(others > 0 ? [`  and ${formatMany(others, 'more thread')}`] : []),
    ...brokenInputs.map(({ input, reason }) => `warning: ${input} broke off when it was imported: ${reason}`),
  ];
  return lines.map(escapeForTerminal);
}

type Row = [name: string, text: string];

function summaryRows(info: TraceInfo): Row[] {
  const { file, sizeBytes, events, durationNs, hasTimes, host, command } = info;
  return [
    ['file', `${file}, an imported trace, ${formatBytes(sizeBytes)}`],
    ['command', command === null ? 'unknown' : shellWords(command)],
    ['host', host ?? 'unknown'],
    ['time', hasTimes || events === 0 ? formatDuration(durationNs) : 'no times'],
    ...(events === 0 ? [['events', 'none: recorded without Intel PT'] satisfies Row] : eventRows(info)),
    ...sampleTexts(info.samples).map((text, row): Row => [row === 0 ? 'samples' : '', text]),
    ...sideTexts(info).map((text, row): Row => [row === 0 ? 'wakings' : '', text]),
    ...(events === 0 ? [] : [['threads', formatCount(info.threads.length)] satisfies Row]),
  ];
}

function eventRows({ sizeBytes, lines, damagedLines, events, branches, functions }: TraceInfo): Row[] {
  return [
    ['lines', `${formatCount(lines)} read, ${formatCount(damagedLines)} damaged`],
    ['events', `${formatCount(events)}, ${(sizeBytes / events).toFixed(1)} bytes each`],
    ['branches', `${formatCount(branches)} distinct, ${formatMany(functions, 'function')}`],
  ];
}

function sideTexts({ sides }: TraceInfo): string[] {
  return sides.map(({ file, isMissing, samples }) =>
    isMissing ? `${file} was missing` : `${formatMany(samples, 'sample')} of ${file}`,
  );
}

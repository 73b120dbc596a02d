/**
 * What is told of an imported trace, as terminal text.
 */
import {
  visibleText as escapeForTerminal,
  formatBytes,
  formatCount,
  formatDuration,
  formatMany,
} from '../../src/text.js';
import { alignColumns } from '../terminal/columns.js';
import type { TraceInfo } from './trace-info.js';

const MAX_THREADS = 20;

/** Its lines; text of other people in them cannot act. */
export function traceLines(info: TraceInfo): string[] {
  const { threads, brokenInputs } = info;
  const largest = threads.toSorted((a, b) => b.events - a.events || a.tid - b.tid).slice(0, MAX_THREADS);
  const others = threads.length - largest.length;
  const rows = largest.map(({ tid, events, cpus }) => [
    `  ${tid}`,
    formatMany(events, 'event'),
    `on ${formatMany(cpus.length, 'processor')}`,
  ]);
  const lines = [
    ...alignColumns(summaryRows(info), ['left', 'left']),
    ...alignColumns(rows, ['left', 'right', 'left']),
    ...(others > 0 ? [`  and ${formatMany(others, 'more thread')}`] : []),
    ...brokenInputs.map(({ input, reason }) => `warning: ${input} broke off when it was imported: ${reason}`),
  ];
  return lines.map(escapeForTerminal);
}

function summaryRows(info: TraceInfo): [string, string][] {
  const { file, sizeBytes, events, lines, damagedLines, durationNs, hasTimes, branches, functions, host, command } =
    info;
  const perEvent = (sizeBytes / Math.max(events, 1)).toFixed(1);
  const told = (text: string | null) => text ?? 'not told';
  return [
    ['file', `${file}, an imported trace, ${formatBytes(sizeBytes)}`],
    ['command', told(command?.join(' ') ?? null)],
    ['host', told(host)],
    ['time', hasTimes ? formatDuration(durationNs) : 'it has no times'],
    ['lines', `${formatCount(lines)} were read, ${formatCount(damagedLines)} of them damaged`],
    ['events', `${formatCount(events)}, ${perEvent} bytes each`],
    ['branches', `${formatCount(branches)} distinct ones, ${formatMany(functions, 'function')}`],
    ['threads', formatCount(info.threads.length)],
  ];
}

/**
 * Describes an imported trace as plain data, which `ptflame info --json` prints.
 */
import { openStoredTrace } from '../../src/pipeline/stored-trace.js';
import { formatBytes, formatCount, formatDuration, formatMany } from '../../src/render/format.js';
import { visibleText as escapeForTerminal, shellWords } from '../../src/render/visible-text.js';
import { alignColumns } from '../terminal/table.js';
import type { RecordingInfo } from './recording-info.js';
import { sampleTexts } from './recording-lines.js';

export interface TraceInfo {
  readonly file: string;
  readonly kind: 'imported trace';
  readonly sizeBytes: number;
  readonly events: number;
  readonly lines: number;
  readonly damagedLines: number;
  readonly durationNs: number;
  readonly hasTimes: boolean;
  readonly branches: number;
  readonly functions: number;
  /** By tid. */
  readonly threads: readonly { readonly tid: number; readonly events: number; readonly cpus: readonly number[] }[];
  readonly brokenInputs: readonly { readonly input: string; readonly reason: string }[];
  /** Samples of tracepoints and probes. */
  readonly samples: RecordingInfo['samples'];
  /** Side recordings that were imported with it. */
  readonly sides: readonly { readonly file: string; readonly isMissing: boolean; readonly samples: number }[];
  /** null if imported from text or from several recordings. */
  readonly host: string | null;
  readonly command: readonly string[] | null;
}

/** The kind of a function in the symbol table. */
const FUNCTION = 0;

/** Decodes no events. @throws PtflameError as `openStoredTrace` does */
export function traceInfo(path: string): TraceInfo {
  const { sizeBytes, stored } = openStoredTrace(path);
  const { meta, sites, symbols, samples } = stored.contents;
  const threads = stored.threads.map(({ tid, lanes }) => {
    const events = lanes.reduce((sum, { events }) => sum + events, 0);
    return { tid, events, cpus: lanes.map(({ cpu }) => cpu) };
  });
  return {
    file: path,
    kind: 'imported trace',
    sizeBytes,
    events: meta.counts.events - meta.unwanted,
    lines: meta.counts.lines,
    damagedLines: meta.counts.damagedLines,
    durationNs: meta.endNs - meta.startNs,
    hasTimes: meta.timed > 0,
    branches: sites.length,
    functions: symbols.kind.filter((kind) => kind === FUNCTION).length,
    threads,
    brokenInputs: meta.broken,
    samples: {
      events: samples.tables.map(({ event, length }) => ({ event, count: length })),
      unreadable: samples.account.unreadable,
      damaged: samples.account.damaged,
      others: (meta.otherSamples ?? []).map(({ event, samples }) => ({ event, count: samples })),
    },
    sides: samples.sides.map(({ side, isMissing, samples }) => ({ file: side, isMissing, samples })),
    host: meta.recorded?.host ?? null,
    command: meta.recorded?.command ?? null,
  };
}

const MAX_THREADS = 20;

/**
 * Prints the description of an imported trace as text.
 *
 * Escapes control characters: names in a trace are untrusted.
 */
export function importedLines(info: TraceInfo): string[] {
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

/**
 * Prints the description of a recording as text; long lists are shortened.
 */
import { formatBytes, formatCount, formatDuration, formatMany, formatShare } from '../../src/render/format.js';
import { visibleText as escapeForTerminal, shellWords } from '../../src/render/visible-text.js';
import { type Alignment, alignColumns } from '../terminal/table.js';
import type { RecordingInfo } from './recording-info.js';

const MAX_PARTS = 256;
const MAX_THREADS = 20;
const MAX_BUILD_IDS = 10;
const MAX_LOSSES = 5;
const INDENT = '  ';

/** Escapes control characters: names in a recording are untrusted. */
export function recordingLines(info: RecordingInfo): string[] {
  const lines = [
    ...alignColumns(summaryRows(info), ['left', 'left']),
    ...auxTable(info),
    ...threadTable(info),
    ...buildIdTable(info),
    ...info.damage.map((fault) => `warning: ${fault}`),
  ];
  return lines.map(escapeForTerminal);
}

function summaryRows(info: RecordingInfo): [string, string][] {
  return [
    ['file', `${info.file}, ${formatBytes(info.sizeBytes)}`],
    ['command', info.command === null ? 'unknown' : shellWords(info.command)],
    ['host', hostText(info)],
    ['CPU', cpuText(info)],
    ['perf', info.machine.perfVersion ?? 'unknown version'],
    ['event', eventText(info)],
    ['time', timeText(info)],
    ['trace', `${formatBytes(info.aux.bytes)} in ${formatMany(info.aux.pieces, 'piece')}`],
    ...lossTexts(info).map((text, row): [string, string] => [row === 0 ? 'losses' : '', text]),
    ...sampleTexts(info.samples).map((text, row): [string, string] => [row === 0 ? 'samples' : '', text]),
    ...sideTexts(info).map((text, row): [string, string] => [row === 0 ? 'wakings' : '', text]),
    ['threads', `${formatCount(info.threads.length)} of ${formatPlural(info.processes, 'process', 'processes')}`],
    ['files', `${formatCount(info.mappedFiles)} mapped, ${formatMany(info.buildIds.length, 'build id')}`],
    ...decodingTexts(info).map((text, row): [string, string] => [row === 0 ? 'decoding' : '', text]),
  ];
}

function formatPlural(count: number, one: string, more: string): string {
  return `${formatCount(count)} ${count === 1 ? one : more}`;
}

function hostText({ machine: { hostName, kernel, architecture } }: RecordingInfo): string {
  const system = [kernel, architecture].filter((text) => text !== null).join(' ');
  return [hostName ?? 'unknown', ...(system === '' ? [] : [`Linux ${system}`])].join(', ');
}

function cpuText({ machine: { cpu, cpusOnline, cpusAvailable, memoryBytes } }: RecordingInfo): string {
  const online = cpusOnline === null ? [] : [`${cpusOnline} of ${cpusAvailable ?? cpusOnline} online`];
  const memory = memoryBytes === null ? [] : [`${formatBytes(memoryBytes)} of memory`];
  return [cpu ?? 'unknown', ...online, ...memory].join(', ');
}

const SWITCHES = {
  none: 'no context switches',
  tracepoint: 'context switches by a tracepoint',
  own: 'context switches of its own threads',
  all: 'all context switches',
} as const;

function eventText({ event, settings }: RecordingInfo): string {
  if (settings === null) return `${event ?? 'no Intel PT'}: no trace to decode`;
  const details = [
    settings.hasKernel ? 'user and kernel' : 'user only',
    settings.hasTime ? (settings.hasCycles ? 'cycle-accurate times' : 'times without cyc') : 'no times',
    settings.isPerCpu ? 'one buffer per CPU' : 'one buffer per thread',
    SWITCHES[settings.switches],
    ...(settings.isSnapshot ? ['snapshots'] : []),
    ...(settings.filter === '' ? [] : [`filter ${settings.filter}`]),
  ];
  return `${event ?? 'unknown'}: ${details.join(', ')}`;
}

/** The records of a recording begin before its trace: perf first writes what is there already. */
function timeText({ time, traced }: RecordingInfo): string {
  const records = time === null ? 'unknown' : `${formatDuration(time.durationNs)} from the first record to the last`;
  const start = (traced ?? time)?.start;
  return [
    ...(traced === null ? [] : [`${formatDuration(traced.durationNs)} traced`]),
    records,
    ...(start === undefined ? [] : [`from ${start} on perf's clock`]),
  ].join(', ');
}

function lossTexts({ losses }: RecordingInfo): string[] {
  const { truncated, truncatedAt, collisions, partial, lostRecords } = losses;
  const positions = truncatedAt.slice(0, MAX_LOSSES).map(positionText).join(', ');
  const more = truncated > MAX_LOSSES ? ', …' : '';
  const texts = [
    ...(truncated > 0 ? [`the buffer was full ${formatMany(truncated, 'time')}: ${positions}${more}`] : []),
    ...(collisions > 0 ? [`${formatMany(collisions, 'piece')} that another writer also wrote to`] : []),
    ...(partial > 0 ? [`${formatMany(partial, 'piece')} with gaps (a virtual machine?)`] : []),
    ...(lostRecords > 0 ? [`${formatMany(lostRecords, 'record')} other than trace data`] : []),
  ];
  return texts.length === 0 ? ['none known before decoding'] : texts;
}

function sideTexts({ sides }: RecordingInfo): string[] {
  return sides.flatMap(({ file, samples, lostRecords }) => {
    if (samples === null) return [`${file} is missing: who woke threads from outside is not known`];
    const lost = lostRecords === 0 ? '' : `, ${formatMany(lostRecords, 'record')} lost`;
    return [`${file}${lost}`, ...sampleTexts(samples)];
  });
}

function positionText({ time, cpu, tid }: RecordingInfo['losses']['truncatedAt'][number]): string {
  return `${time ?? 'no time'} ${cpu === null ? `thread ${tid ?? '?'}` : `CPU ${cpu}`}`;
}

function decodingTexts(info: RecordingInfo): string[] {
  const { decoding } = info;
  if (decoding === null) return estimateTexts(info);
  const { branches, callsAndReturns, uncertainty, seconds, sample } = decoding;
  const { pieces, bytes, ofBytes } = sample;
  const isCounted = bytes === ofBytes;
  const size = (value: number) => {
    if (isCounted) return formatCount(value);
    if (uncertainty <= MAX_UNCERTAINTY) return `about ${formatCount(rounded(value))}`;
    return `${formatCount(rounded(value * Math.max(0, 1 - uncertainty)))} to ${formatCount(rounded(value * (1 + uncertainty)))}`;
  };
  return [
    `${size(branches)} branches, ${size(callsAndReturns)} of them calls and returns, ` +
      `about ${formatDuration(rounded(1e9 * seconds))} on one CPU`,
    (isCounted
      ? 'counted in the whole trace'
      : `estimated from a decoded sample of ${formatBytes(bytes)} in ${formatMany(pieces, 'piece')}`) +
      errorText(sample),
  ];
}

/** Errors in code of no file are no reason to look for binaries. */
function errorText({ errors, generatedErrors }: NonNullable<RecordingInfo['decoding']>['sample']): string {
  if (errors === 0) return '';
  const all = `; ${formatMany(errors, 'error')} in it`;
  if (generatedErrors === 0) return `${all}: are all binaries there (--symfs)?`;
  return `${all}, ${formatCount(generatedErrors)} of them in code outside every file (docs/decoder.md), of a JIT compiler`;
}

/** An estimate that may be further off is a range. */
const MAX_UNCERTAINTY = 0.12;

/** perf decodes it. */
function estimateTexts({ estimate }: RecordingInfo): string[] {
  if (estimate === null) return ['nothing to decode'];
  const { lines, textBytes, seconds } = estimate;
  return [
    `about ${formatCount(rounded(lines.least))} to ${formatCount(rounded(lines.most))} lines, ` +
      `${formatBytes(textBytes.least)} to ${formatBytes(textBytes.most)}, ` +
      `${formatDuration(rounded(1e9 * seconds.least))} to ${formatDuration(rounded(1e9 * seconds.most))} on one CPU`,
    'estimated from the size of the trace and the ratios of other programs; tight loops of calls give more',
  ];
}

/** Rounds to two digits: the value is an estimate. */
function rounded(value: number): number {
  return Number(value.toPrecision(2));
}

function auxTable({ aux, settings }: RecordingInfo): string[] {
  if (aux.parts.length === 0) return [];
  const rows = aux.parts.slice(0, MAX_PARTS).map(({ cpu, tid, bytes, pieces }) => {
    return [String(cpu ?? tid ?? '?'), formatBytes(bytes), formatShare(bytes, aux.bytes), formatCount(pieces)];
  });
  const head = [settings?.isPerCpu === false ? 'thread' : 'CPU', 'trace', 'share', 'pieces'];
  return table([head, ...rows], ['right', 'right', 'right', 'right'], aux.parts.length);
}

function threadTable({ threads }: RecordingInfo): string[] {
  if (threads.length === 0) return [];
  const rows = threads.slice(0, MAX_THREADS).map(({ tid, pid, name, switches }) => {
    return [String(tid), pid === null ? '?' : String(pid), formatCount(switches), name ?? '?'];
  });
  return table(
    [['thread', 'process', 'switches', 'name'], ...rows],
    ['right', 'right', 'right', 'left'],
    threads.length,
  );
}

function buildIdTable({ buildIds }: RecordingInfo): string[] {
  if (buildIds.length === 0) return [];
  const rows = buildIds.slice(0, MAX_BUILD_IDS).map(({ file, buildId }) => [buildId, file]);
  return table([['build id', 'file'], ...rows], ['left', 'left'], buildIds.length);
}

/** Puts a blank line before the table and, if rows are left out, their number below it. */
function table(rows: readonly (readonly string[])[], alignments: readonly Alignment[], all: number): string[] {
  const more = all - (rows.length - 1);
  const lines = alignColumns(rows, alignments).map((line) => INDENT + line);
  return ['', ...lines, ...(more > 0 ? [`${INDENT}and ${formatCount(more)} more`] : [])];
}

const MAX_EVENTS = 20;

/** Says how many samples of which events there are: each event in a line of its own; no line if there are no samples. */
export function sampleTexts({
  events,
  unreadable,
  damaged,
  others,
  lacksKernelNames,
}: RecordingInfo['samples']): string[] {
  const most = events.toSorted((a, b) => b.count - a.count || (a.event < b.event ? -1 : 1)).slice(0, MAX_EVENTS);
  const width = Math.max(0, ...most.map(({ count }) => formatCount(count).length));
  return [
    ...most.map(({ event, count }) => `${formatCount(count).padStart(width)} ${event}`),
    ...(events.length > most.length ? [`and ${formatMany(events.length - most.length, 'more event')}`] : []),
    ...(unreadable > 0
      ? [
          `${formatCount(unreadable)} of unknown format: perf was killed and .formats is missing, or the formats are damaged`,
        ]
      : []),
    ...(lacksKernelNames
      ? ["the names of the kernel's functions are missing: why threads waited is mostly unknown without .formats"]
      : []),
    ...others.map(({ event, count }) => `${formatCount(count)} ${event ?? 'of other events'}, not used`),
    ...(damaged > 0 ? [`${formatCount(damaged)} damaged`] : []),
  ];
}

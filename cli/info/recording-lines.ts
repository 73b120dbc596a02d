/**
 * What is told of a recording, as terminal text: short enough to be read.
 */
import {
  visibleText as escapeForTerminal,
  formatBytes,
  formatCount,
  formatDuration,
  formatMany,
  formatShare,
  shellWords,
} from '../../src/text.js';
import { type Alignment, alignColumns } from '../terminal/columns.js';
import type { RecordingInfo } from './recording-info.js';

const MAX_PARTS = 256;
const MAX_THREADS = 20;
const MAX_BUILD_IDS = 10;
const MAX_LOSSES = 5;
const INDENT = '  ';

/** Its lines; text of other people in them cannot act. */
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
    ['command', info.command === null ? 'not told' : shellWords(info.command)],
    ['host', hostText(info)],
    ['processor', cpuText(info)],
    ['perf', info.machine.perfVersion ?? 'version not told'],
    ['event', eventText(info)],
    ['time', timeText(info)],
    ['trace', `${formatBytes(info.aux.bytes)} in ${formatMany(info.aux.pieces, 'piece')}`],
    ...lossTexts(info).map((text, row): [string, string] => [row === 0 ? 'losses' : '', text]),
    ['threads', `${formatCount(info.threads.length)} of ${formatPlural(info.processes, 'process', 'processes')}`],
    ['files', `${formatCount(info.mappedFiles)} mapped, ${formatMany(info.buildIds.length, 'build id')}`],
    ...estimateTexts(info).map((text, row): [string, string] => [row === 0 ? 'decoding' : '', text]),
  ];
}

function formatPlural(count: number, one: string, more: string): string {
  return `${formatCount(count)} ${count === 1 ? one : more}`;
}

function hostText({ machine: { hostName, kernel, architecture } }: RecordingInfo): string {
  const system = [kernel, architecture].filter((text) => text !== null).join(' ');
  return [hostName ?? 'not told', ...(system === '' ? [] : [`Linux ${system}`])].join(', ');
}

function cpuText({ machine: { cpu, cpusOnline, cpusAvailable, memoryBytes } }: RecordingInfo): string {
  const online = cpusOnline === null ? [] : [`${cpusOnline} of ${cpusAvailable ?? cpusOnline} online`];
  const memory = memoryBytes === null ? [] : [`${formatBytes(memoryBytes)} of memory`];
  return [cpu ?? 'not told', ...online, ...memory].join(', ');
}

const SWITCHES = {
  none: 'no switches of threads',
  tracepoint: 'switches of threads by a tracepoint',
  own: 'switches of its own threads',
  all: 'all switches of threads',
} as const;

function eventText({ event, settings }: RecordingInfo): string {
  if (settings === null) return `${event ?? 'no Intel PT'}: no trace to decode`;
  const facts = [
    settings.hasKernel ? 'user and kernel' : 'user only',
    settings.hasTime ? (settings.hasCycles ? 'times to the cycle' : 'times without cyc') : 'no times',
    settings.isPerCpu ? 'a buffer for each CPU' : 'a buffer for each thread',
    SWITCHES[settings.switches],
    ...(settings.isSnapshot ? ['snapshots'] : []),
    ...(settings.filter === '' ? [] : [`filter ${settings.filter}`]),
  ];
  return `${event ?? 'not told'}: ${facts.join(', ')}`;
}

function timeText({ time }: RecordingInfo): string {
  return time === null ? 'not told' : `${formatDuration(time.durationNs)} from ${time.start} on perf's clock`;
}

function lossTexts({ losses }: RecordingInfo): string[] {
  const { truncated, truncatedAt, collisions, partial, lostRecords } = losses;
  const places = truncatedAt.slice(0, MAX_LOSSES).map(positionText).join(', ');
  const more = truncated > MAX_LOSSES ? ', …' : '';
  const texts = [
    ...(truncated > 0 ? [`${formatMany(truncated, 'time')} the buffer was full: ${places}${more}`] : []),
    ...(collisions > 0 ? [`${formatMany(collisions, 'piece')} that others wrote into`] : []),
    ...(partial > 0 ? [`${formatMany(partial, 'piece')} with gaps (a virtual machine?)`] : []),
    ...(lostRecords > 0 ? [`${formatMany(lostRecords, 'record')} beside the trace`] : []),
  ];
  return texts.length === 0 ? ['none known before decoding'] : texts;
}

function positionText({ time, cpu, tid }: RecordingInfo['losses']['truncatedAt'][number]): string {
  return `${time ?? 'no time'} ${cpu === null ? `thread ${tid ?? '?'}` : `CPU ${cpu}`}`;
}

function estimateTexts({ estimate }: RecordingInfo): string[] {
  if (estimate === null) return ['nothing to decode'];
  const { lines, textBytes, seconds } = estimate;
  return [
    `about ${formatCount(rounded(lines.least))} to ${formatCount(rounded(lines.most))} lines, ` +
      `${formatBytes(textBytes.least)} to ${formatBytes(textBytes.most)}, ` +
      `${formatDuration(rounded(1e9 * seconds.least))} to ${formatDuration(rounded(1e9 * seconds.most))} of one processor`,
    'estimated by the bytes of trace, from ratios of other programs; loops of small calls give more',
  ];
}

/** To two digits: it is a guess. */
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

/** A blank line before it; below it, how many rows are left out. */
function table(rows: readonly (readonly string[])[], alignments: readonly Alignment[], all: number): string[] {
  const more = all - (rows.length - 1);
  const lines = alignColumns(rows, alignments).map((line) => INDENT + line);
  return ['', ...lines, ...(more > 0 ? [`${INDENT}and ${formatCount(more)} more`] : [])];
}

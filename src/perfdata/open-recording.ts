/**
 * Opens and reads a recording by its path, and those that were made next to it.
 */
import type { Stats } from 'node:fs';
import { type FileHandle, open, readFile, stat } from 'node:fs/promises';
import { PtflameError, unreadableInput } from '../model/errors.js';
import { comparePerfTimes, type PerfTime } from '../model/trace/perf-time.js';
import { type Attribute, type Attributes, readAttributes } from './attributes.js';
import { type EventFormat, readFormatNotes } from './event-format.js';
import { type Features, readFeatures } from './features.js';
import { FileWindow, type RecordingFile } from './file-parts.js';
import { type FileHeader, notARecording, readHeader } from './header.js';
import { KernelNotes } from './kernel-notes.js';
import { keyOf, RecordCollector } from './record-collector.js';
import type { BuildId, Recording } from './recording.js';
import { SampleCollector } from './sample-collector.js';
import { attributeOf, traceEncoding, traceSettings } from './trace-settings.js';
import { Damage, walkRecords } from './walk.js';

export interface OpenRecordingOptions extends Omit<ReadRecordingOptions, 'kernel'> {
  /** The recording that its events were noted with, next to it. Default: its path. */
  readonly notesOf?: string;
  /** Name for messages. Default: its path. */
  readonly name?: string;
}

/**
 * Reads a perf.data file, or the one in the directory that `perf record --kcore` writes.
 *
 * @throws PtflameError INPUT_UNREADABLE, and what `readRecording` throws
 */
export async function openRecording(path: string, options: OpenRecordingOptions = {}): Promise<Recording> {
  const { name: called = path } = options;
  const isDirectory = (await orUnreadable(called, stat(path))).isDirectory();
  const [data, name] = isDirectory ? [path, called].map((each) => `${each.replace(/\/+$/, '')}/data`) : [path, called];
  if (isDirectory && (await isMissing(data))) throw notARecording(`the directory ${called}`);
  const stats = await orUnreadable(name, stat(data));
  if (!stats.isFile()) throw notARecording(name); // checked first: opening a pipe would block
  const file = await orUnreadable(name, open(data));
  try {
    const notes = await eventNotes(options.notesOf ?? path);
    const formats = options.formats ?? readFormatNotes(notes);
    const read = { ...options, formats, kernel: new KernelNotes(notes) };
    return await readRecording(asRecordingFile(name, file, stats), read);
  } finally {
    await file.close();
  }
}

/** Far above the formats of all events of a kernel. */
const MAX_NOTES_BYTES = 32 * 1024 * 1024;

/** Reads what was noted of events when a recording began, next to it: also of those of its side recording; or nothing. */
async function eventNotes(recording: string): Promise<string> {
  const path = `${recording.replace(/\/+$/, '').replace(/\.wakes\.data$/, '')}.formats`;
  const stats = await stat(path).catch(() => null);
  if (!stats?.isFile() || stats.size > MAX_NOTES_BYTES) return '';
  return readFile(path, 'utf8').catch(() => '');
}

function asRecordingFile(name: string, file: FileHandle, { size }: Stats) {
  const read = async (into: Uint8Array, at: number) =>
    (await orUnreadable(name, file.read(into, 0, into.length, at))).bytesRead;
  return { name, sizeBytes: size, read };
}

function isMissing(path: string): Promise<boolean> {
  return stat(path).then(
    () => false,
    ({ code }: NodeJS.ErrnoException) => code === 'ENOENT',
  );
}

async function orUnreadable<Value>(path: string, value: Promise<Value>): Promise<Value> {
  try {
    return await value;
  } catch (cause) {
    throw unreadableInput(path, cause);
  }
}

/** Reads a perf.data file without decoding its trace, and keeps only what the kernel recorded besides the trace. */
interface ReadRecordingOptions {
  readonly signal?: AbortSignal;
  /** Formats of events, for a recording that lacks them because perf was killed. */
  readonly formats?: readonly EventFormat[];
  /** What was noted of the kernel, for the call chains of samples. Default: nothing. */
  readonly kernel?: KernelNotes;
}

/**
 * Reads a recording, skipping its trace. Faults of the file are listed in `damage`.
 *
 * @throws PtflameError INPUT_KIND if it is not a recording; RECORDING_FOREIGN, RECORDING_PIPED or
 *   RECORDING_DAMAGED if it cannot be read at all
 */
export async function readRecording(file: RecordingFile, options: ReadRecordingOptions = {}): Promise<Recording> {
  const { signal } = options;
  const header = await readHeader(file);
  const attributes = await readAttributes(file, header);
  const damage = new Damage();
  const end = dataEnd(file, header, damage);
  // perf writes the parts after the records, and the size of the data, only when it ends
  const isFinished = header.data.sizeBytes > 0;
  const features = await readFeatures(file, isFinished ? header : { ...header, features: [] }, damage);
  const formats = features.formats.length > 0 ? features.formats : (options.formats ?? []);
  const samples = new SampleCollector(attributes, formats, damage, namesOf(features), options.kernel);
  const collector = new RecordCollector(attributes, samples, damage);
  await walkRecords(
    new FileWindow(file, signal),
    header.data.offset,
    end,
    (record) => collector.add(record, end),
    damage,
  );
  await collector.compressed.walk((record) => collector.addInflated(record), damage, signal);
  checkIndex(features, collector, damage);
  return toRecording(file, attributes, features, collector, samples, damage);
}

function dataEnd(file: RecordingFile, { data }: FileHeader, damage: Damage): number {
  const end = data.offset + data.sizeBytes;
  if (data.sizeBytes === 0) {
    damage.add('perf record did not end properly: the size of the data is missing, so perf reads nothing');
    return file.sizeBytes;
  }
  if (end > file.sizeBytes)
    damage.add(
      `the file is truncated: its data ends at byte ${end}, but it has ${file.sizeBytes} bytes; perf may crash on it`,
    );
  return Math.min(end, file.sizeBytes);
}

/** perf finds the trace by its index: if that is wrong, perf decodes something else. */
function checkIndex({ auxtraceOffsets }: Features, { auxtraceOffsets: found }: RecordCollector, damage: Damage): void {
  if (auxtraceOffsets === null) return;
  const isSame = auxtraceOffsets.length === found.length && found.every((at, row) => at === auxtraceOffsets[row]);
  if (isSame) return;
  damage.add(`the index of trace buffers is wrong: it lists ${auxtraceOffsets.length}, but there are ${found.length}`);
}

function toRecording(
  file: RecordingFile,
  attributes: Attributes,
  features: Features,
  collector: RecordCollector,
  samples: SampleCollector,
  damage: Damage,
): Recording {
  const { traceInfo } = collector;
  const bounds = collector.times.bounds ?? features.sampleTimes;
  return {
    sizeBytes: file.sizeBytes,
    machine: features.machine,
    command: features.command,
    eventName: eventName(attributes, features, collector),
    trace: traceInfo && traceSettings(traceInfo, attributes),
    encoding: traceInfo && traceEncoding(traceInfo, attributes),
    buffers: collector.buffers,
    auxRecords: collector.auxRecords,
    sideband: collector.sideband.sort((a, b) => comparePerfTimes(a.time ?? AT_ONCE, b.time ?? AT_ONCE)), // a stable sort
    samples: samples.build(bounds?.start ?? null),
    clockId: attributes.first.clockId,
    buildIds: distinct([...features.buildIds, ...collector.buildIds.values()]),
    bounds,
    lostRecords: collector.lostRecords,
    losses: collector.losses,
    damage: damage.messages(),
  };
}

/** perf prints records without a time as it reads them, before those that it sorts. */
const AT_ONCE = { seconds: 0, ns: 0 };

/** The name that perf wrote, or that it would print. */
function eventName({ all }: Attributes, { events, intelPt }: Features, { traceInfo }: RecordCollector): string | null {
  const unitType = traceInfo?.unitType ?? intelPt;
  const attribute = unitType === null ? null : attributeOf({ unitType }, all);
  if (attribute === null) return null;
  const named = events.find((event) => event.attribute.type === unitType);
  return named?.name ?? `intel_pt//${attribute.hasKernel ? '' : 'u'}`;
}

/** perf's names of events whose name it did not write, by type and configuration (perf_event_open(2)). */
const NAMES: Readonly<Record<number, string>> = {
  0: 'cycles instructions cache-references cache-misses branches branch-misses bus-cycles stalled-cycles-frontend stalled-cycles-backend ref-cycles',
  1: 'cpu-clock task-clock page-faults context-switches cpu-migrations minor-faults major-faults alignment-faults emulation-faults dummy bpf-output cgroup-switches',
};

function namesOf({ events }: Features): (attribute: Attribute) => string | null {
  const keyOf = ({ type, config }: Attribute) => `${type} ${config}`;
  const names = new Map(events.toReversed().map(({ attribute, name }) => [keyOf(attribute), name])); // the first counts
  return (attribute) =>
    names.get(keyOf(attribute)) ?? NAMES[attribute.type]?.split(' ')[Number(attribute.config)] ?? null;
}

function distinct(ids: readonly BuildId[]): BuildId[] {
  return [...new Map(ids.map((id) => [keyOf(id), id])).values()];
}

/** Reads a side recording: other events at the same time as a recording, such as wakings on the whole machine. */
export interface SideRecording {
  readonly name: string;
  /** null: there is no such file. */
  readonly recording: Recording | null;
}

/**
 * Opens a side recording of `main`, whose name is for messages.
 *
 * @throws PtflameError OTHER_CLOCK if its times cannot be compared to those of `main`; and what `openRecording` throws,
 *   except for a file that is missing
 */
export async function openSideRecording(
  main: { readonly name: string; readonly recording: Recording },
  path: string,
  options: OpenRecordingOptions = {},
): Promise<SideRecording> {
  const { name = path } = options;
  const recording = await openRecording(path, options).catch((error: unknown) => orMissing(error));
  return sideOf(main, name, recording);
}

/** Returns what was recorded next to `main`; null: nothing. @throws PtflameError OTHER_CLOCK as `openSideRecording` */
export function sideOf(
  main: { readonly name: string; readonly recording: Recording },
  name: string,
  recording: Recording | null,
): SideRecording {
  const reason = recording && otherClock(main.recording, recording);
  if (reason !== null) throw refused(main.name, name, reason);
  return { name, recording };
}

function orMissing(error: unknown): null {
  const cause = error instanceof PtflameError ? (error.cause as { code?: string } | undefined) : undefined;
  if (cause?.code === 'ENOENT') return null;
  throw error;
}

/** A side recording may end just before a recording begins: it has few samples. */
const MAX_APART_SECONDS = 10;

/** Returns why two recordings are not on one clock, or null. */
function otherClock(main: Recording, side: Recording): string | null {
  const hosts = [main.machine.hostName, side.machine.hostName];
  if (hosts[0] !== null && hosts[1] !== null && hosts[0] !== hosts[1])
    return `it was recorded on ${hosts[1]}, not on ${hosts[0]}`;
  if (main.clockId !== side.clockId) return `its times are of ${clockName(side)}, not of ${clockName(main)}`;
  if (main.bounds === null || side.bounds === null) return null;
  const isApart = isBefore(main.bounds.end, side.bounds.start) || isBefore(side.bounds.end, main.bounds.start);
  return isApart ? 'it was recorded at another time' : null;
}

function isBefore(end: PerfTime, start: PerfTime): boolean {
  return comparePerfTimes({ ...end, seconds: end.seconds + MAX_APART_SECONDS }, start) < 0;
}

/** By their numbers in clock_gettime(2). */
const CLOCKS: Readonly<Record<number, string>> = {
  0: 'CLOCK_REALTIME',
  1: 'CLOCK_MONOTONIC',
  4: 'CLOCK_MONOTONIC_RAW',
  7: 'CLOCK_BOOTTIME',
  11: 'CLOCK_TAI',
};

function clockName({ clockId }: Recording): string {
  return clockId === null ? "perf's own clock" : (CLOCKS[clockId] ?? `clock ${clockId}`);
}

function refused(main: string, side: string, reason: string): PtflameError {
  return new PtflameError('OTHER_CLOCK', `${side} does not belong to ${main}: ${reason}`, {
    hint: 'both must be recorded at the same time on the same clock, as ptflame record --waits does; or move it away',
  });
}

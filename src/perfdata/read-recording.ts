/**
 * Reads a recording: all that perf and the kernel recorded, except its trace.
 */
import { comparePerfTimes } from '../model/trace/perf-time.js';
import { type Attribute, type Attributes, readAttributes } from './attributes.js';
import type { EventFormat } from './event-format.js';
import { type Features, readFeatures } from './features.js';
import { FileWindow, type RecordingFile } from './file-parts.js';
import { type FileHeader, readHeader } from './header.js';
import type { KernelNotes } from './kernel-notes.js';
import { keyOf, RecordCollector } from './record-collector.js';
import type { BuildId, Recording } from './recording.js';
import { SampleCollector } from './sample-collector.js';
import { attributeOf, traceEncoding, traceSettings } from './trace-settings.js';
import { Damage, walkRecords } from './walk.js';

export interface ReadRecordingOptions {
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
    kernelCode: [...features.programs, ...collector.kernelCode],
    kernelSymbols: collector.kernelSymbols,
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

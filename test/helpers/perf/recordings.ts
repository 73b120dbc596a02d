/**
 * Builds recordings as `openRecording` returns them, with only the parts that a test needs.
 */
import fc from 'fast-check';
import type { PerfTime } from '../../../src/model/trace/perf-time.js';
import type { AuxRecord, Recording, TraceSettings } from '../../../src/perfdata/recording.js';

const TRACE: TraceSettings = {
  isPerCpu: true,
  isSnapshot: false,
  hasTime: true,
  hasCycles: false,
  hasKernel: false,
  switches: 'all',
  filter: '',
};

export function recordingOf(parts: Partial<Recording>): Recording {
  return {
    sizeBytes: 0,
    machine: {
      hostName: null,
      kernel: null,
      architecture: null,
      cpu: null,
      cpusOnline: null,
      cpusAvailable: null,
      memoryBytes: null,
      perfVersion: null,
    },
    command: null,
    eventName: null,
    trace: TRACE,
    encoding: null,
    buffers: [],
    auxRecords: [],
    sideband: [],
    kernelCode: [],
    kernelSymbols: [],
    samples: { originSeconds: 0, tables: [], formats: [], unreadable: 0, damaged: 0, others: [] },
    clockId: null,
    buildIds: [],
    bounds: null,
    lostRecords: 0,
    losses: [],
    damage: [],
    ...parts,
  };
}

/** A piece of trace: its duration and size. */
export interface Piece {
  readonly stepNs: number;
  readonly sizeBytes: number;
}

export function recordingWith(
  piecesOf: ReadonlyMap<number, readonly Piece[]>,
  trace: Partial<TraceSettings> = {},
): Recording {
  const buffers = [...piecesOf].flatMap(([cpu, pieces]) =>
    pieces.map(({ sizeBytes }) => ({ cpu, tid: -1, sizeBytes, fileOffset: 0, auxOffset: 0, reference: 0n })),
  );
  const auxRecords = [...piecesOf].flatMap(([cpu, pieces]) => auxRecordsOf(cpu, pieces));
  return recordingOf({ trace: { ...TRACE, ...trace }, buffers, auxRecords });
}

function auxRecordsOf(cpu: number, pieces: readonly Piece[]): AuxRecord[] {
  let atNs = START_NS;
  return pieces.map(({ stepNs, sizeBytes }) => {
    atNs += stepNs;
    const flags = { isTruncated: false, isOverwrite: false, isPartial: false, isCollision: false };
    return { cpu, tid: -1, time: timeOf(atNs), auxOffset: 0, sizeBytes, ...flags };
  });
}

/** Shortly before a full second, so that cuts fall on both sides of it. */
const START_NS = 6_999_999_990;

export function timeOf(ns: number): PerfTime {
  return { seconds: Math.floor(ns / 1e9), ns: ns % 1e9 };
}

const piece = fc.record({ stepNs: fc.integer({ min: 1, max: 9 }), sizeBytes: fc.integer({ min: 0, max: 100 }) });
const pieces = fc.array(piece, { minLength: 1, maxLength: 30 });

/** A recording of up to 12 CPUs. */
export const anyRecording = fc
  .uniqueArray(fc.tuple(fc.integer({ min: 0, max: 200 }), pieces), { selector: ([cpu]) => cpu, maxLength: 12 })
  .map((all) => recordingWith(new Map(all))); // a CPU may have traced nothing

/** A recording of threads, whose CPUs are unknown. */
export const anyRecordingOfThreads = pieces.map((all) => recordingWith(new Map([[-1, all]]), { isPerCpu: false }));

/** A time around those of `anyRecording`. */
export const anyTime = fc.integer({ min: START_NS - 2, max: START_NS + 280 }).map(timeOf);

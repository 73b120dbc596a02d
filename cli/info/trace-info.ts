/**
 * Describes an imported trace as plain data, which `ptflame info --json` prints.
 */
import { openStoredTrace } from '../../src/pipeline/stored-trace.js';
import type { RecordingInfo } from './recording-info.js';

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

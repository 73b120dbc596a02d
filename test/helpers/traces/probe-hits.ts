/**
 * Hits of probes as an input of their own, for texts without samples.
 */
import { SampleTablesBuilder } from '../../../src/model/sample-tables-builder.js';
import { NONE } from '../../../src/model/units.js';
import type { SampledRecording } from '../../../src/pipeline/read/recording-source.js';
import { fixture } from './load.js';

export interface Hit {
  readonly tid: number;
  /** On perf's clock, in nanoseconds since `ORIGIN_SECONDS`. */
  readonly timeNs: number;
  readonly address: number;
}

/** The second in which emulated recordings begin. */
const ORIGIN_SECONDS = 12_345;

/** Returns the hits of a fixture: lines of a thread, a time and an address. */
export function hitsOf(name: string): Hit[] {
  const lines = fixture(name).toString().split('\n');
  return lines.flatMap((line) => {
    const [, tid, seconds, ns, address] = /^(\d+) (\d+)\.(\d{9}) ([0-9a-f]+)$/.exec(line) ?? [];
    if (tid === undefined) return [];
    const timeNs = (Number(seconds) - ORIGIN_SECONDS) * 1e9 + Number(ns);
    return [{ tid: Number(tid), timeNs, address: Number.parseInt(address as string, 16) }];
  });
}

/** Returns a recording of nothing but hits, in turn of two probes. */
export function recordingOf(hits: readonly Hit[]): SampledRecording {
  const builder = new SampleTablesBuilder();
  for (const [row, { tid, timeNs, address }] of hits.entries()) {
    const values = [{ name: '__probe_ip', value: address }];
    builder.add(`probe:${row % 2}`, { timeNs, tid, pid: 1, cpu: NONE, context: 1, values });
  }
  const samples = {
    originSeconds: ORIGIN_SECONDS,
    tables: builder.build(),
    formats: [],
    unreadable: 0,
    damaged: 0,
    others: [],
  };
  const sampled = { sideband: [], samples, lostRecords: 0, bounds: null } as unknown as SampledRecording['sampled'];
  return { name: 'hits', sampled, sides: [], recorded: null, broken: null };
}

/**
 * What the own decoder finds in a recording, as lines to compare with those of perf: events by CPU, and errors.
 */

import type { Part } from '../../src/decode/parts.js';
import { errorsOf, runsOf, type SiteRow, siteCount, siteRow } from '../../src/decode/parts.js';
import type { Slot } from '../../src/decode/schedule.js';
import { openPath } from '../../src/host/files.js';
import { decodePlan } from '../../src/pipeline/decode/decode-plan.js';
import { RecordingDecoder } from '../../src/pipeline/decode/decode-task.js';
import { type CpuError, cpuError, gapRecords, truncations } from '../../src/pipeline/decode/decoded-trace.js';
import type { EncodedRecording } from '../../src/pipeline/decode/encoded-recording.js';
import { decodeContext } from '../../src/pipeline/decode/encoded-recording.js';
import { bundledEvents } from '../../test/helpers/traces/bundled-events.js';
import { siteText, timeText } from '../pt/decode-own.js';

export interface RecordingLines {
  /** By CPU: "tid time kind from to". */
  readonly events: ReadonlyMap<number, readonly string[]>;
  /** "time cpu tid ip code". */
  readonly errors: readonly string[];
}

export function ownLines(encoded: EncodedRecording): RecordingLines {
  const plan = decodePlan(encoded);
  const file = openPath(encoded.path);
  const context = decodeContext(encoded, file.ref, plan, 0n);
  const decoder = new RecordingDecoder(context);
  const sites: SiteRow[] = [];
  const events = new Map<number, string[]>();
  const errors: CpuError[] = [];
  for (const [row, cpu] of context.cpus.entries()) {
    const { streams } = cpu.trace;
    const lines: string[] = [];
    events.set(cpu.trace.cpu, lines);
    const offset = streams[0]?.[0].offset ?? 0;
    const whole: Part = {
      stream: 0,
      lastStream: streams.length - 1,
      offset,
      cut: Number.POSITIVE_INFINITY,
      state: null,
    };
    for (let part: Part | null = whole; part !== null && streams.length > 0; ) {
      const decoded = decoder.decode(row, part, new Int32Array(1 << 18));
      if (decoded.sites.first === 0) sites.length = 0;
      for (let at = 0; at < siteCount(decoded.sites.rows); at++) sites.push(siteRow(decoded.sites.rows, at));
      let at = 0;
      for (const { slot, length } of runsOf(decoded, 0, undefined)) {
        const { tid } = cpu.slots[slot] as Slot;
        const run = bundledEvents(decoded.events, at, at + length);
        at += length;
        for (const [event, timeNs] of run.timeNs.entries())
          lines.push(`${tid} ${timeText(BigInt(timeNs))} ${siteText(sites[run.site[event] ?? 0] as SiteRow)}`);
      }
      errors.push(...errorsOf(decoded, 0, undefined).map((error) => cpuError(error, cpu, context.images)));
      part = decoded.rest && { ...whole, ...decoded.rest };
    }
  }
  decoder.close();
  file.close();
  return { events, errors: errorLines([...errors, ...truncations(encoded.recording, 0n)], encoded) };
}

/** Addresses as a profile has them: doubles. */
function errorLines(errors: readonly CpuError[], { binaries }: EncodedRecording): string[] {
  return gapRecords(errors, binaries).flatMap((record) =>
    record.what === 'gap'
      ? [errorLine(timeText(BigInt(record.timeNs)), record.cpu, record.tid, record.ip || 0, record.code)]
      : [],
  );
}

export function errorLine(time: string, cpu: number, tid: number, ip: number, code: number): string {
  return `${time} ${cpu} ${tid} ${BigInt.asUintN(64, BigInt(ip)).toString(16)} ${code}`;
}

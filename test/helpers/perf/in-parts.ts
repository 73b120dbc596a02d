/**
 * Decodes a recording in parts of any size, by any number of decoders that finish in any order.
 */
import { setImmediate } from 'node:timers/promises';
import type { Part } from '../../../src/decode/parts.js';
import { errorsOf, runsOf } from '../../../src/decode/parts.js';
import { openPath } from '../../../src/host/files.js';
import { NONE } from '../../../src/model/units.js';
import { Interner } from '../../../src/parser/intern.js';
import { PartsDecoding, SiteNames, type TakenPart, WorkerSites } from '../../../src/pipeline/decode/decode-parts.js';
import { decodePlan } from '../../../src/pipeline/decode/decode-plan.js';
import { RecordingDecoder } from '../../../src/pipeline/decode/decode-task.js';
import type { EncodedRecording } from '../../../src/pipeline/decode/encoded-recording.js';
import { decodeContext } from '../../../src/pipeline/decode/encoded-recording.js';
import { bundledEvents } from '../traces/bundled-events.js';

export interface Cutting {
  /** Of trace. */
  readonly partBytes: number;
  /** How many decoders there are, and which one decodes each part, and how late it is. */
  readonly decoders: number;
  readonly choices: readonly number[];
  readonly maxParts: number;
  /** Code is loaded so many bytes at a time. Default: as always. */
  readonly pageBytes?: number;
}

/** One decoder, and no part ends. */
export const WHOLE: Cutting = { partBytes: Number.POSITIVE_INFINITY, decoders: 1, choices: [0], maxParts: 1 };

export interface Decoded {
  /** For each event: CPU, schedule slot, site, nanoseconds. Sites are numbered as they come. */
  readonly events: number[];
  /** For each error: CPU, schedule slot, nanoseconds, code, address. */
  readonly errors: number[];
  /** How often a decoder took over from another one. */
  readonly handOvers: number;
}

export async function decodedInParts(encoded: EncodedRecording, cutting: Cutting): Promise<Decoded> {
  const plan = decodePlan(encoded);
  const file = openPath(encoded.path);
  const { pageBytes } = cutting;
  const context = { ...decodeContext(encoded, file.ref, plan, 0n), ...(pageBytes && { pageBytes }) };
  const decoders = Array.from({ length: cutting.decoders }, () => new RecordingDecoder(context));
  const names = new SiteNames(new Interner(), plan.schedule.images, () => null);
  const sites = new WorkerSites(names);
  const found: Decoded & { handOvers: number } = { events: [], errors: [], handOvers: 0 };
  let tasks = 0;
  const decode = async (cpu: number, part: Part, memory: Int32Array) => {
    const choice = cutting.choices[tasks++ % cutting.choices.length] ?? 0;
    const worker = choice % cutting.decoders;
    const decoded = (decoders[worker] as RecordingDecoder).decode(cpu, part, memory);
    const ready = { cpu, part, decoded, sites: sites.add(worker, decoded.sites), memory };
    for (let turn = 0; turn < choice % 5; turn++) await setImmediate();
    return ready;
  };
  const streams = context.cpus.map(({ trace }) => trace.streams);
  const newMemory = () => new Int32Array(1 << 16);
  const take = (part: TakenPart) => add(part, found);
  await new PartsDecoding({ ...cutting, streams, newMemory, decode, take }).run();
  for (const decoder of decoders) decoder.close();
  file.close();
  return found;
}

function add({ cpu, decoded, sites, from, to }: TakenPart, found: Decoded & { handOvers: number }): void {
  const events = decoded.events.subarray(from?.events ?? 0, to?.events);
  sites.replaceIn(events);
  let at = 0;
  for (const { slot, length, events: count, startNs, endNs } of runsOf(decoded, from?.runs ?? 0, to?.runs)) {
    const run = bundledEvents(events, at, at + length);
    at += length;
    const times = { first: Number.POSITIVE_INFINITY, last: Number.NEGATIVE_INFINITY };
    for (const [event, timeNs] of run.timeNs.entries()) {
      found.events.push(cpu, slot, run.site[event] ?? NONE, timeNs);
      times.first = Math.min(times.first, timeNs);
      times.last = Math.max(times.last, timeNs);
    }
    if (run.site.length !== count || times.first !== startNs || times.last !== endNs)
      throw new Error('a run has other events than it says');
  }
  if (at !== events.length) throw new Error('events belong to no run');
  for (const { slot, timeNs, code, ip } of errorsOf(decoded, from?.errors ?? 0, to?.errors))
    found.errors.push(cpu, slot, timeNs, code, Number(ip));
  if (from !== null) found.handOvers++;
}

/**
 * Counts what the CPU did in single calls of a recording: their instructions and cycles, the iterations of their hottest loop,
 * and how fast it was clocked. Decodes once more what ran in them, with all jumps.
 */

import type { CallCounts } from '../../analysis/calls/call-counts.js';
import { type Image, toAddress } from '../../decode/images.js';
import {
  branchKind,
  countRows,
  type DecodedCount,
  type SiteRow,
  type Stream,
  siteCount,
  siteRow,
  toTicks,
} from '../../decode/parts.js';
import { openPath } from '../../host/files.js';
import { groupBy } from '../../model/groups.js';
import { BranchKind } from '../../model/trace/branch-sites.js';
import { FAR, FAR_LENGTH, NEAR_LENGTH } from '../../model/trace/event-runs.js';
import type { Nanoseconds, Tid } from '../../model/units.js';
import { decodePlan } from './decode-plan.js';
import { type DecodeContext, RecordingDecoder } from './decode-task.js';
import { type DecodedHere, decodeContext, type EncodedRecording } from './encoded-recording.js';
import { cutOut, PsbSearch, type Range } from './psb-search.js';

/** A complete call, in the time of the trace. */
interface TimedCall {
  readonly tid: Tid;
  readonly startNs: Nanoseconds;
  readonly endNs: Nanoseconds;
}

/** Calls of more trace are not counted: that would take longer than all other answers. */
const MAX_CALL_BYTES = 32 * 1024 * 1024;

/**
 * Returns the counts of each call, from the branch that makes it, without it, to its return; null: its events cannot be told
 * from others of the same nanosecond, or too much ran. `isAsked`: whether a function is one of those that were called.
 */
export function countCalls(
  recordings: readonly DecodedHere[],
  calls: readonly TimedCall[],
  isAsked: (name: string) => boolean,
): (CallCounts | null)[] {
  const counted = recordings.map((recording) => countedPieces(recording, calls, isAsked));
  return calls.map((call) => {
    const [own, ...others] = counted.filter(({ pieces }) => pieces.some((rows) => ranIn(call, rows)));
    // threads of two recordings may have one number: what is another's is not told apart
    if (own === undefined || others.length > 0 || counted.some(({ tooLong }) => tooLong.has(call))) return null;
    const [atStart = [], atEnd = []] = [call.startNs, call.endNs].map((ns) => own.moments.get(momentOf(call.tid, ns)));
    return countsOf(call, atStart, atEnd, own.pieces);
  });
}

function ranIn({ tid, startNs, endNs }: TimedCall, rows: readonly CountRow[]): boolean {
  return rows.some((row, at) => row.tid === tid && row.ns <= endNs && (rows[at + 1]?.ns ?? row.ns) >= startNs);
}

function momentOf(tid: Tid, ns: Nanoseconds): string {
  return `${tid} ${ns}`;
}

/** Counts up to an event at the begin or the end of a call, or to where another thread runs or the frequency changes. */
interface CountRow {
  readonly ns: Nanoseconds;
  readonly instructions: number;
  readonly cycles: number;
  /** From here on: the thread, and the frequency; 0: unknown. */
  readonly tid: Tid;
  readonly mhz: number;
  /** How often the functions in question jumped backward since the row before, by the address of the jump. */
  readonly loops: ReadonlyMap<bigint, number>;
  /** Of an event. */
  readonly site: SiteRow | null;
  /** The event leads to the entry of a function in question; is a return; is a return from such a function. */
  readonly isEntry: boolean;
  readonly isReturn: boolean;
  readonly isExit: boolean;
  /** Of an entry: one of these functions is left by it. */
  readonly isRecursion: boolean;
}

interface Counted {
  /** Of trace without a gap. */
  readonly pieces: readonly (readonly CountRow[])[];
  /** By thread and time. */
  readonly moments: ReadonlyMap<string, readonly CountRow[]>;
  readonly tooLong: ReadonlySet<TimedCall>;
}

function countedPieces(
  { encoded, originNs }: DecodedHere,
  calls: readonly TimedCall[],
  isAsked: (name: string) => boolean,
): Counted {
  const file = openPath(encoded.path);
  const countsAt = Float64Array.from(new Set(calls.flatMap(({ startNs, endNs }) => [startNs, endNs]))).sort();
  const all = decodeContext({ ...encoded, isPlain: true, jumps: 'all' }, file.ref, decodePlan(encoded), originNs);
  const cpus: DecodeContext['cpus'][number][] = [];
  const decoder = new RecordingDecoder({ ...all, countsAt, cpus });
  const memory = new Int32Array();
  try {
    const { places, tooLong } = placesOf(all, calls, new PsbSearch((...where) => decoder.read(...where)));
    const functions = new AskedFunctions(encoded, all.images, isAsked);
    const pieces = places.map(({ cpu, stream }) => {
      const row = cpus.push({ ...cpu, trace: { ...cpu.trace, streams: [stream] } }) - 1;
      const rows: CountRow[] = [];
      for (const { sites, events } of decoder.decodeStream(row, 0, memory)) {
        functions.addSites(sites);
        let eventsBefore = 0;
        for (const counted of countRows(decoder.counts())) {
          functions.pass(events.subarray(eventsBefore, counted.eventLength));
          eventsBefore = counted.eventLength;
          rows.push(rowOf(counted, cpu, all, functions));
        }
        functions.pass(events.subarray(eventsBefore));
      }
      return rows;
    });
    return { pieces, moments: momentsOf(pieces), tooLong };
  } finally {
    decoder.close();
    file.close();
  }
}

function momentsOf(pieces: Counted['pieces']): Counted['moments'] {
  return groupBy(pieces.flat(), ({ tid, ns }) => momentOf(tid, ns));
}

/** A piece of a CPU's trace. */
interface Place {
  readonly cpu: DecodeContext['cpus'][number];
  readonly stream: Stream;
}

/** Returns where the calls ran; pieces of a stream do not overlap. */
function placesOf(
  { cpus, timing, originNs }: DecodeContext,
  calls: readonly TimedCall[],
  psbs: PsbSearch,
): { readonly places: readonly Place[]; readonly tooLong: ReadonlySet<TimedCall> } {
  const ticks = (ns: Nanoseconds) => toTicks(originNs + BigInt(Math.round(ns)), timing);
  const ranges = new Map<Stream, { readonly cpu: Place['cpu']; readonly own: Range[] }>();
  const tooLong = new Set<TimedCall>();
  for (const call of calls) {
    const [start, end] = [ticks(call.startNs), ticks(call.endNs)];
    const found = cpus.flatMap((cpu) => {
      const { slots, trace } = cpu;
      const own = slots.flatMap(({ tid, tick }, row) => {
        const until = slots[row + 1]?.tick ?? end;
        return tid === call.tid && tick <= end && until >= start ? [{ tick, until }] : [];
      });
      const [first, last] = [own[0], own.at(-1)];
      if (first === undefined || last === undefined) return [];
      const [from, to] = [first.tick > start ? first.tick : start, last.until < end ? last.until : end];
      return trace.streams.map((stream) => ({ cpu, stream, range: psbs.between(stream, from, to) }));
    });
    if (found.reduce((sum, { range }) => sum + range.end - range.start, 0) > MAX_CALL_BYTES) tooLong.add(call);
    else
      for (const { cpu, stream, range } of found) {
        const known = ranges.get(stream);
        if (known === undefined) ranges.set(stream, { cpu, own: [range] });
        else known.own.push(range);
      }
  }
  const places = [...ranges].flatMap(([stream, { cpu, own }]) =>
    joined(own).map((range) => ({ cpu, stream: cutOut(stream, range) })),
  );
  return { places, tooLong };
}

function joined(ranges: readonly Range[]): Range[] {
  const all: Range[] = [];
  for (const range of ranges.toSorted((a, b) => a.start - b.start)) {
    const last = all.at(-1);
    if (last === undefined || range.start > last.end) all.push(range);
    else all[all.length - 1] = { start: last.start, end: Math.max(last.end, range.end) };
  }
  return all;
}

/** The functions in question, in the code of a recording. */
class AskedFunctions {
  /** Of the decoder, by number. */
  readonly sites: SiteRow[] = [];
  /** Likewise: how often a jump backward was passed; NaN: it is none of these functions. */
  private readonly hits: number[] = [];
  /** The numbers of those. */
  private readonly loops: number[] = [];

  constructor(
    private readonly encoded: EncodedRecording,
    private readonly images: readonly Image[],
    private readonly isAsked: (name: string) => boolean,
  ) {}

  /** A decoder that is new begins anew. */
  addSites({ first, rows }: { readonly first: number; readonly rows: DataView }): void {
    this.sites.length = first;
    if (first === 0) this.loops.length = 0;
    for (let row = 0; row < siteCount(rows); row++) {
      const site = siteRow(rows, row);
      this.sites.push(site);
      const isLoop = site.to <= site.from && this.isJumpWithin(site);
      this.hits[first + row] = isLoop ? 0 : Number.NaN;
      if (isLoop) this.loops.push(first + row);
    }
  }

  /** Counts the jumps backward among some events. */
  pass(events: Int32Array): void {
    const { hits } = this;
    for (let at = 0; at < events.length; ) {
      const isFar = events[at] === FAR;
      hits[events[isFar ? at + 1 : at] as number]++;
      at += isFar ? FAR_LENGTH : NEAR_LENGTH;
    }
  }

  /** Returns how often each jump backward was passed since this was asked last, by its address. */
  takeLoops(): ReadonlyMap<bigint, number> {
    const passed = this.loops.filter((site) => (this.hits[site] as number) > 0);
    const counts = new Map<bigint, number>();
    for (const site of passed) {
      const { from } = this.sites[site] as SiteRow;
      counts.set(from, (counts.get(from) ?? 0) + (this.hits[site] as number));
      this.hits[site] = 0;
    }
    return counts;
  }

  isEntry(site: SiteRow): boolean {
    return this.startAt(site.image, site.to) === toAddress(site.to) && !this.isJumpWithin(site);
  }

  private isJumpWithin({ image, from, to, kind, edge }: SiteRow): boolean {
    if (branchKind(kind, edge) !== BranchKind.Jump) return false;
    const start = this.startAt(image, from);
    return start !== null && start === this.startAt(image, to);
  }

  isWithin({ image, from }: SiteRow): boolean {
    return this.startAt(image, from) !== null;
  }

  /** Where the function in question begins that an address is in; null: it is in none. */
  private startAt(image: number, address: bigint): number | null {
    const code = this.images[image - 1];
    const found = code ? this.encoded.locate(code, toAddress(address)) : null;
    return found === null || found.name === null || !this.isAsked(found.name) ? null : found.start;
  }
}

function rowOf(
  { site: number, slot, busRatio, ...counted }: DecodedCount,
  { slots }: Place['cpu'],
  { timing }: DecodeContext,
  functions: AskedFunctions,
): CountRow {
  const tscMhz = (1000 * 2 ** timing.shift) / Number(timing.mult);
  const site = functions.sites[number] ?? null;
  const isReturn = site !== null && branchKind(site.kind, site.edge) === BranchKind.Return;
  return {
    ...counted,
    tid: slots[slot]?.tid ?? 0,
    mhz: (busRatio * tscMhz) / timing.maxBusRatio,
    loops: functions.takeLoops(),
    site,
    isEntry: site !== null && functions.isEntry(site),
    isReturn,
    isExit: isReturn && functions.isWithin(site),
    isRecursion: site !== null && functions.isWithin(site),
  };
}

/** No instruction is longer. */
const MAX_INSTRUCTION_BYTES = 15n;

/** `atStart`, `atEnd`: what was counted of the thread at these times. */
function countsOf(
  { tid, startNs, endNs }: TimedCall,
  atStart: readonly CountRow[],
  atEnd: readonly CountRow[],
  pieces: Counted['pieces'],
): CallCounts | null {
  const starts = atStart.filter(({ isEntry }) => isEntry);
  const start = starts.at(-1); // of calls one after another, the others end at once
  const isSure = starts.length === 1 || (endNs > startNs && !starts.some(({ isRecursion }) => isRecursion));
  if (start === undefined || !isSure) return null;
  const { from, kind, edge } = start.site as SiteRow;
  const isCall = branchKind(kind, edge) === BranchKind.Call;
  const isEnd = ({ site, isReturn, isExit }: CountRow) =>
    isCall ? isReturn && site !== null && site.to > from && site.to <= from + MAX_INSTRUCTION_BYTES : isExit;
  const ends = atEnd.slice(endNs > startNs ? 0 : atEnd.indexOf(start) + 1).filter(isEnd);
  const [end] = ends;
  if (end === undefined || (!isCall && ends.length > 1)) return null;
  let [instructions, cycles, busyUs, ns, mhzNs] = [0, 0, 0, 0, 0];
  let min = Number.POSITIVE_INFINITY;
  const loops = new Map<bigint, number>();
  for (const piece of pieces) {
    const first = piece.indexOf(start);
    const last = piece.indexOf(end);
    piece.forEach((row, at) => {
      const next = piece[at + 1];
      if (next === undefined || row.tid !== tid) return;
      const isBehindStart = first === -1 ? row.ns >= startNs : at >= first;
      const isBeforeEnd = last === -1 ? row.ns < endNs : at < last; // it runs elsewhere at its end
      if (!isBehindStart || !isBeforeEnd) return;
      instructions += next.instructions - row.instructions;
      cycles += next.cycles - row.cycles;
      for (const [jump, count] of next.loops) loops.set(jump, (loops.get(jump) ?? 0) + count);
      if (row.mhz === 0) return;
      min = Math.min(min, row.mhz);
      busyUs += (next.cycles - row.cycles) / row.mhz;
      ns += next.ns - row.ns;
      mhzNs += row.mhz * (next.ns - row.ns);
    });
  }
  return {
    instructions,
    cycles: cycles === 0 ? null : cycles,
    iterations: Math.max(0, ...loops.values()),
    mhz: Number.isFinite(min) ? { min, mean: busyUs > 0 ? cycles / busyUs : ns > 0 ? mhzNs / ns : min } : null,
  };
}

/**
 * Adds the functions in jitdump files to the mappings of a recording, so that generated code is decoded and named like any other:
 * each function is a mapping of the part of the dump that has its code.
 */
import { toNs } from '../../decode/parts.js';
import { firstThat } from '../../model/columns.js';
import { isMadeAtRunTime } from '../../model/symbol-table.js';
import type { PerfTime } from '../../model/trace/perf-time.js';
import type { RecordedEvent, Recording } from '../../perfdata/recording.js';
import { isJitDump, type JitDump, type JitFunction } from '../../symbols/jitdump.js';
import { nsOf } from './decode-plan.js';

/** A JIT maps the first page of its dump, so that a recording shows where the dump is. */
interface Marker {
  readonly row: number;
  readonly pid: number;
  readonly file: string;
  readonly time: PerfTime | null;
}

/** `readDump` returns null for a dump that cannot be read; paths are latin1, as recorded. */
export function withJitCode(recording: Recording, readDump: (file: string) => JitDump | null): Recording {
  const markers = markersOf(recording).flatMap((marker) => {
    const dump = readDump(marker.file);
    return dump === null ? [] : [{ ...marker, dump }];
  });
  if (markers.length === 0) return recording;
  const pids = new Set(markers.map(({ pid }) => pid));
  const added = markers.flatMap((marker) => mappingsOf(marker, marker.dump, recording));
  added.sort((a, b) => a.row - b.row || compare(nsAt(a.event), nsAt(b.event)));
  return { ...recording, sideband: merged(recording.sideband, added, pids) };
}

/** The first one of each process and dump. After `perf inject --jit`, mappings of `jitted-PID-N.so` have the code instead. */
function markersOf({ sideband }: Recording): Marker[] {
  const markers = new Map<string, Marker>();
  const injected = new Set<number>();
  for (const [row, { record, time }] of sideband.entries()) {
    if (record.what !== 'mmap') continue;
    const { pid, file } = record;
    if (INJECTED.test(file)) injected.add(pid);
    const key = `${pid} ${file}`;
    if (isJitDump(file) && !markers.has(key)) markers.set(key, { row, pid, file, time });
  }
  return [...markers.values()].filter(({ pid }) => !injected.has(pid));
}

const INJECTED = /\/jitted-\d+-\d+\.so$/;

/** An event to be inserted after the one in a row. */
interface Added {
  readonly row: number;
  readonly event: RecordedEvent;
}

/**
 * Code at addresses that had none before is there from the marker on: that needs no common clock. Where code replaces other code, the
 * time of the dump decides.
 */
function mappingsOf({ row, pid, file, time }: Marker, dump: JitDump, recording: Recording): Added[] {
  const nsOfDump = dumpClock(dump, time, recording);
  const used = new UsedAddresses();
  const start = time === null ? 0n : nsOf(time);
  const rowAt = rowFinder(recording.sideband, row);
  return dump.functions.map((code) => {
    const ns = used.add(code) ? max(nsOfDump(code.timestamp), start) : start;
    const { start: address, length, fileOffset } = code;
    const record = { what: 'mmap', pid, start: address, length, fileOffset, file } as const;
    const event = { tid: pid, pid, cpu: -1, time: timeOf(ns), record };
    return { row: ns === start ? row : rowAt(ns), event };
  });
}

/** Converts a dump's clock to perf's. The marker was mapped when the dump was begun, which relates other clocks than the TSC. */
function dumpClock(dump: JitDump, time: PerfTime | null, { encoding }: Recording): (timestamp: bigint) => bigint {
  const timing = encoding?.timing ?? null;
  if (dump.isTscClock && timing !== null) return (ticks) => toNs(ticks, timing);
  const isKnown = time !== null && nsOf(time) !== 0n; // it is not if the process was there before the recording
  const offset = isKnown ? nsOf(time) - beginningOf(dump) : 0n;
  return (ns) => ns + offset;
}

const MAX_NS_TO_FIRST_FUNCTION = 60_000_000_000n;

/** V8 writes the time of day into the header, and another clock into the records. */
function beginningOf({ createdAt, functions }: JitDump): bigint {
  const [first] = functions;
  const isSameClock =
    first === undefined || (createdAt <= first.timestamp && first.timestamp - createdAt < MAX_NS_TO_FIRST_FUNCTION);
  return isSameClock ? createdAt : first.timestamp;
}

const PAGE_BYTES = 4096;

/** The addresses that functions had, by page. */
class UsedAddresses {
  private readonly pages = new Map<number, JitFunction[]>();

  /** Returns whether an earlier function had some of the addresses. */
  add(code: JitFunction): boolean {
    const { start, length } = code;
    let isReused = false;
    for (let page = Math.floor(start / PAGE_BYTES); page * PAGE_BYTES < start + length; page++) {
      const before = this.pages.get(page);
      if (before === undefined) this.pages.set(page, [code]);
      else {
        isReused ||= before.some((other) => other.start < start + length && start < other.start + other.length);
        before.push(code);
      }
    }
    return isReused;
  }
}

/** Returns a function that finds the last row at or before a time, from `first` on. */
function rowFinder(sideband: readonly RecordedEvent[], first: number): (ns: bigint) => number {
  const rows: { readonly row: number; readonly ns: bigint }[] = [];
  for (let row = first; row < sideband.length; row++) {
    const { time } = sideband[row];
    if (time !== null) rows.push({ row, ns: nsOf(time) });
  }
  return (ns) => {
    const later = firstThat(0, rows.length, (at) => rows[at].ns > ns);
    return later === 0 ? first : rows[later - 1].row;
  };
}

/** Without the anonymous memory of these processes: a change of its protection would hide the code that is in it. */
function merged(
  sideband: readonly RecordedEvent[],
  added: readonly Added[],
  pids: ReadonlySet<number>,
): RecordedEvent[] {
  const all: RecordedEvent[] = [];
  let next = 0;
  for (const [row, event] of sideband.entries()) {
    const { record } = event;
    if (record.what !== 'mmap' || !pids.has(record.pid) || !isMadeAtRunTime(record.file)) all.push(event);
    for (; next < added.length && added[next].row === row; next++) all.push(added[next].event);
  }
  return all;
}

function nsAt({ time }: RecordedEvent): bigint {
  return time === null ? 0n : nsOf(time);
}

function timeOf(ns: bigint): PerfTime {
  return { seconds: Number(ns / 1_000_000_000n), ns: Number(ns % 1_000_000_000n) };
}

function max(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}

function compare(a: bigint, b: bigint): number {
  return a < b ? -1 : Number(a > b);
}

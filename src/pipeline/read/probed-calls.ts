/**
 * Calls of a recording without Intel PT, from the samples of its probes: each goes from a sample at the entry of a function to
 * one at a return of it. Turned into the branches that Intel PT would have shown, so that all questions can be asked.
 */
import { numbersOf, type SampleTable } from '../../model/sample-table.js';
import { NOT_PROBED } from '../../model/symbol-table.js';
import { BranchKind, TraceEdge } from '../../model/trace/branch-sites.js';
import { RunsBuilder } from '../../model/trace/event-runs.js';
import type { GroupedEvents } from '../../model/trace/trace-chunk.js';
import { type Address, type Nanoseconds, NONE, type SymbolId, type Tid } from '../../model/units.js';
import type { Interner } from '../../parser/intern.js';
import { endsOfSpan, findEvent } from '../replay/find-functions.js';

/** As perf names the probe at the returns of a function. */
export const RETURN_SUFFIX = '__return';
/** The stack pointer, which at the entry and at the return points to the return address: their samples belong together. */
export const STACK_POINTER = 'sp';

/** Two events, and the name of what is between them. */
interface ProbedFunction {
  readonly name: string;
  readonly entry: SampleTable;
  readonly exit: SampleTable;
  /** The user named it: other calls that cross it are left out. */
  readonly isSpan: boolean;
}

/** When a thread is known to have run, or waited. */
export interface ProbedThread {
  readonly startNs: Nanoseconds;
  readonly endNs: Nanoseconds;
  /** By time. */
  readonly switches: readonly ThreadSwitch[];
}

export interface ThreadSwitch {
  readonly timeNs: Nanoseconds;
  readonly cpu: number;
  readonly isIn: boolean;
}

export interface ProbedCalls {
  readonly events: readonly GroupedEvents[];
  /** How many events there are. */
  readonly length: number;
  /** Calls that did not return, because an exception or a jump left them, and those that cross others. */
  readonly leftOut: number;
}

/**
 * `spans`: such as `parse..reply`, from an event to another one in the same thread; it begins anew each time the first one comes.
 * `threads`: those whose switches are known.
 *
 * Returns null if the samples have no calls. @throws PtflameError BAD_OPTION if several events have the name in a span
 */
export function probedCalls(
  tables: readonly SampleTable[],
  spans: readonly string[],
  threads: ReadonlyMap<Tid, ProbedThread>,
  interner: Interner,
): ProbedCalls | null {
  const functions = [...spansOf(tables, spans), ...functionsOf(tables)];
  if (functions.length === 0) return null;
  const hits = hitsByThread(functions);
  const writer = new BranchWriter(functions, interner);
  let leftOut = 0;
  for (const tid of [...new Set([...threads.keys(), ...hits.keys()])].sort((a, b) => a - b)) {
    const own = hits.get(tid) ?? [];
    const found = callsOfThread(own, functions);
    const calls = nested(found.calls, functions);
    leftOut += found.left + found.calls.length - calls.length;
    writer.addThread(tid, withHits(threads.get(tid), own), calls);
  }
  return { events: writer.build(), length: writer.length, leftOut };
}

/** `probe_server:push` → `push`. */
export function nameOfCalls(event: string): string {
  return event.slice(event.indexOf(':') + 1);
}

function functionsOf(tables: readonly SampleTable[]): ProbedFunction[] {
  return tables.flatMap((entry) => {
    const exit = tables.find(({ event }) => event === `${entry.event}${RETURN_SUFFIX}`);
    return exit === undefined ? [] : [{ name: nameOfCalls(entry.event), entry, exit, isSpan: false }];
  });
}

function spansOf(tables: readonly SampleTable[], names: readonly string[]): ProbedFunction[] {
  return [...new Set(names)].flatMap((name) => {
    const [entry, exit] = (endsOfSpan(name) ?? []).map((event) => findEvent(event, tables));
    return entry && exit && entry !== exit ? [{ name, entry, exit, isSpan: true }] : [];
  });
}

interface Hit {
  readonly function: number;
  readonly isEntry: boolean;
  readonly timeNs: Nanoseconds;
  readonly cpu: number;
  /** NaN: unknown. */
  readonly stackPointer: number;
}

/** By time; of the same time, in the order of the functions. */
function hitsByThread(functions: readonly ProbedFunction[]): Map<Tid, Hit[]> {
  const hits = new Map<Tid, Hit[]>();
  functions.forEach(({ entry, exit, isSpan }, number) => {
    for (const table of [entry, exit]) {
      const pointers = isSpan ? null : numbersOf(table, STACK_POINTER);
      for (let row = 0; row < table.length; row++) {
        const own = hits.get(table.tid[row]) ?? [];
        if (own.length === 0) hits.set(table.tid[row], own);
        const stackPointer = pointers?.[row] ?? Number.NaN;
        const at = { timeNs: table.timeNs[row], cpu: table.cpu[row] };
        own.push({ function: number, isEntry: table === entry, ...at, stackPointer });
      }
    }
  });
  for (const own of hits.values()) own.sort((a, b) => a.timeNs - b.timeNs);
  return hits;
}

/** Infinite times: the start or the end was not recorded. */
interface ProbedCall {
  readonly function: number;
  readonly startNs: Nanoseconds;
  readonly endNs: Nanoseconds;
}

/** Pairs entries with returns, as `record --trigger` does. */
function callsOfThread(hits: readonly Hit[], functions: readonly ProbedFunction[]) {
  const calls: ProbedCall[] = [];
  const open: Hit[] = [];
  let left = 0;
  let hasReturned = false;
  for (const hit of hits) {
    // what is further down the stack than a thread that enters or leaves a function has been left
    const isLeft = ({ stackPointer }: Hit) =>
      stackPointer < hit.stackPointer || (hit.isEntry && stackPointer === hit.stackPointer);
    const isAnew = (each: Hit) => hit.isEntry && functions[hit.function].isSpan && each.function === hit.function;
    const kept = open.filter((each) => !isLeft(each) && !isAnew(each));
    left += open.filter((each) => isLeft(each)).length;
    open.splice(0, open.length, ...kept);
    if (hit.isEntry) {
      open.push(hit);
      continue;
    }
    const isOwn = (each: Hit) =>
      each.function === hit.function && !(Math.abs(each.stackPointer - hit.stackPointer) > 0);
    const at = open.findLastIndex(isOwn);
    if (at >= 0) {
      calls.push({ function: hit.function, startNs: open[at].timeNs, endNs: hit.timeNs });
      open.splice(at, 1);
    } else if (!functions[hit.function].isSpan && !hasReturned && open.length === 0) {
      calls.push({ function: hit.function, startNs: Number.NEGATIVE_INFINITY, endNs: hit.timeNs });
      continue; // it may have been called by another one that had begun before the recording
    }
    hasReturned = true;
  }
  for (const hit of open) calls.push({ function: hit.function, startNs: hit.timeNs, endNs: Number.POSITIVE_INFINITY });
  return { calls, left };
}

/** Returns the calls by start, callers first, without those that cross others: they are in no call tree. */
function nested(calls: readonly ProbedCall[], functions: readonly ProbedFunction[]): ProbedCall[] {
  const ordered = [...calls].sort((a, b) => a.startNs - b.startNs || b.endNs - a.endNs || a.function - b.function);
  const crossing = new Set<ProbedCall>();
  const open: ProbedCall[] = [];
  for (const call of ordered) {
    while (open.length > 0) {
      const last = open[open.length - 1];
      if (last.endNs > call.startNs && last.endNs >= call.endNs) break;
      if (last.endNs > call.startNs) {
        const isWeaker = functions[call.function].isSpan && !functions[last.function].isSpan;
        crossing.add(isWeaker ? last : call);
        if (!isWeaker) break;
      }
      open.pop();
    }
    if (!crossing.has(call)) open.push(call);
  }
  return ordered.filter((call) => !crossing.has(call));
}

/** Addresses that no program has: the first pages are never mapped. A call ends where the next instruction would be. */
const FUNCTION_BYTES = 16;
/** Offsets of the place where others are called, and of any other. */
const CALL = 1;
const CALL_BYTES = 5;
const INSIDE = 14;

class BranchWriter {
  private readonly symbols: readonly SymbolId[];
  private readonly tid: number[] = [];
  private readonly cpu: number[] = [];
  private readonly site: number[] = [];
  private readonly timeNs: number[] = [];

  constructor(
    functions: readonly ProbedFunction[],
    private readonly interner: Interner,
  ) {
    this.symbols = [NOT_PROBED, ...functions.map(({ name }) => name)].map((name) =>
      interner.symbols.intern(name, null),
    );
  }

  /** Where a thread leaves a CPU, the trace stops; it goes on where the thread gets one again. */
  addThread(tid: Tid, { startNs, endNs, switches, cpuAt }: ThreadTime, calls: readonly ProbedCall[]): void {
    const open = calls.filter((call) => call.startNs === Number.NEGATIVE_INFINITY);
    const nowhere = this.interner.location(0, NONE, Number.NaN);
    const inside = () => this.location(placeOf(open.at(-1)), INSIDE);
    let runs = false;
    let next = 0;
    let firstRow = this.cpu.length;
    let cpu = NONE;
    const add = (kind: BranchKind, edge: TraceEdge, [from, to]: readonly [number, number], timeNs: Nanoseconds) =>
      this.add(tid, cpuAt(timeNs), this.interner.siteBetween(kind, edge, from, to), timeNs);
    const run = (timeNs: Nanoseconds) => {
      if (runs) return;
      runs = true;
      firstRow = this.cpu.length;
      add(BranchKind.None, TraceEdge.Begin, [nowhere, inside()], timeNs);
    };
    const stop = (timeNs: Nanoseconds) => {
      if (!runs) return;
      runs = false;
      add(BranchKind.Async, TraceEdge.End, [inside(), nowhere], timeNs);
      cpu = this.cpu.slice(firstRow).find((known) => known !== NONE) ?? cpu; // records of switches may not have it
      this.cpu.fill(cpu, firstRow);
    };
    const goOn = (untilNs: Nanoseconds) => {
      for (;;) {
        const { timeNs: switchNs, isIn } = switches[next] ?? { timeNs: Number.POSITIVE_INFINITY, isIn: false };
        const returnNs = open.at(-1)?.endNs ?? Number.POSITIVE_INFINITY;
        if (Math.min(switchNs, returnNs) > untilNs) return;
        if (switchNs > returnNs) {
          run(returnNs);
          const from = placeOf(open.pop());
          const back = this.location(placeOf(open.at(-1)), CALL + CALL_BYTES);
          add(BranchKind.Return, TraceEdge.None, [this.location(from, INSIDE), back], returnNs);
          continue;
        }
        next++;
        if (isIn) run(switchNs);
        else stop(switchNs);
      }
    };
    if (switches[0]?.isIn !== true) run(startNs);
    for (const call of calls.slice(open.length)) {
      goOn(call.startNs);
      run(call.startNs);
      const from = this.location(placeOf(open.at(-1)), CALL);
      add(BranchKind.Call, TraceEdge.None, [from, this.location(placeOf(call), 0)], call.startNs);
      open.push(call);
    }
    goOn(endNs);
    stop(endNs);
  }

  get length(): number {
    return this.site.length;
  }

  build(): GroupedEvents[] {
    const runs = new RunsBuilder();
    const { tid, cpu, site, timeNs } = this;
    for (let row = 0; row < site.length; row++) runs.add(tid[row], cpu[row], site[row], timeNs[row]);
    return runs.build();
  }

  private add(tid: Tid, cpu: number, site: number, timeNs: Nanoseconds): void {
    this.tid.push(tid);
    this.cpu.push(cpu);
    this.site.push(site);
    this.timeNs.push(timeNs);
  }

  private location(place: number, offset: number): number {
    const start: Address = FUNCTION_BYTES * (place + 1);
    return this.interner.location(start + offset, this.symbols[place], start);
  }
}

/** The row of the function's symbol: 0 is outside of all. */
function placeOf(call: ProbedCall | undefined): number {
  return call === undefined ? 0 : call.function + 1;
}

interface ThreadTime extends ProbedThread {
  cpuAt(timeNs: Nanoseconds): number;
}

function withHits(known: ProbedThread | undefined, hits: readonly Hit[]): ThreadTime {
  const [firstNs, lastNs] = [
    hits[0]?.timeNs ?? Number.POSITIVE_INFINITY,
    hits.at(-1)?.timeNs ?? Number.NEGATIVE_INFINITY,
  ];
  const switches = known?.switches ?? [];
  const startNs = Math.min(known?.startNs ?? firstNs, firstNs);
  const cpus = new Map([...switches, ...hits].map(({ timeNs, cpu }) => [timeNs, cpu]));
  return {
    ...{ startNs, endNs: Math.max(known?.endNs ?? lastNs, lastNs), switches },
    cpuAt: (timeNs) => cpus.get(timeNs) ?? NONE,
  };
}

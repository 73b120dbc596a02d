/**
 * A kernel and its memory: tables of the trace, and what belongs to the thread that is replayed.
 */
import type { ThreadEvents } from '../../model/trace/thread-events.js';
import type { SiteFacts } from '../functions/site-facts.js';
import { type KernelCalls, newKernel, reserveMemory } from '../kernel.js';
import {
  FUNCTION_BYTES,
  HEAD_ACTIONS,
  HEAD_DURATIONS,
  HEAD_FUNCTIONS,
  HEAD_HIGHEST,
  HEAD_INFERRED,
  HEAD_LINKS,
  HEAD_LOG,
  HEAD_RENAMES,
  HEAD_SITES,
  HEAD_WINDOW_ROW,
  HEAD_WINDOW_SITES,
  HEAD_WINDOW_TIMES,
  LIST_ENTRIES,
  LISTED_BYTES,
  PAIR_BYTES,
  SITE_BYTES,
} from '../wasm/layout.js';
import type { Head } from './head.js';
import { KernelMemory } from './kernel-memory.js';
import { writeFunctions, writeSites } from './tables.js';

/** The kernel sees this many rows of the thread at a time: they stay in the cache. */
const WINDOW = 4096;

/** See LISTED_… of kernel/layout.ts. */
export interface CallList {
  readonly ints: Int32Array;
  readonly floats: Float64Array;
}

export class ReplayKernel {
  readonly calls: KernelCalls;
  readonly head: Head;
  readonly memory: KernelMemory;
  /** By function, for the index of open frames. */
  readonly highest: Int32Array;
  /** The complete calls that the kernel counted last, as pairs of a symbol and a bucket of its histogram. */
  readonly durations: Int32Array;
  /** Inferred calls that are not counted yet. */
  readonly inferred: CallList;
  /** Rows that the call log gets, and rows of it that get another node. */
  readonly logRows: CallList;
  readonly renames: CallList;
  private readonly windowSites: Int32Array;
  private readonly windowTimes: Float64Array;
  /** The rows whose sites are in the window, and how many of their times are. */
  private windowRow = 0;
  private windowEnd = 0;
  private timesEnd = 0;
  /** Where what belongs to the thread begins. */
  private readonly threadAt: number;

  private constructor(calls: KernelCalls, memory: KernelMemory, facts: SiteFacts) {
    const { functions } = facts;
    this.calls = calls;
    this.memory = memory;
    this.head = memory.head;
    const add = (head: number, bytes: number) => {
      const at = memory.add(bytes);
      this.head.set(head, at);
      return at;
    };
    const sites = add(HEAD_SITES, SITE_BYTES * facts.step.length);
    writeSites(memory, sites, facts);
    writeFunctions(memory, add(HEAD_FUNCTIONS, FUNCTION_BYTES * functions.length), functions);
    this.highest = memory.ints(add(HEAD_HIGHEST, 4 * functions.length), functions.length);
    this.windowSites = memory.ints(add(HEAD_WINDOW_SITES, 4 * WINDOW), WINDOW);
    this.windowTimes = memory.floats(add(HEAD_WINDOW_TIMES, 8 * WINDOW), WINDOW);
    const addList = (head: number): CallList => {
      const at = add(head, LISTED_BYTES * LIST_ENTRIES);
      const ints = memory.ints(at, (LISTED_BYTES / 4) * LIST_ENTRIES);
      return { ints, floats: memory.floats(at, (LISTED_BYTES / 8) * LIST_ENTRIES) };
    };
    this.durations = memory.ints(add(HEAD_DURATIONS, PAIR_BYTES * LIST_ENTRIES), 2 * LIST_ENTRIES);
    this.inferred = addList(HEAD_INFERRED);
    this.logRows = addList(HEAD_LOG);
    this.renames = addList(HEAD_RENAMES);
    this.threadAt = memory.end;
    this.begin(0);
  }

  /** Returns null if the machine or the trace is too small or too large for it. */
  static start(facts: SiteFacts): ReplayKernel | null {
    const pages = reserveMemory();
    if (pages === null) return null;
    const memory = new KernelMemory(pages);
    if (!memory.hasSpaceFor(SITE_BYTES * facts.step.length)) return null;
    return new ReplayKernel(newKernel(pages), memory, facts);
  }

  /** Begins a thread. False if it is too large. */
  begin(events: number): boolean {
    const { memory, head } = this;
    memory.cutAt(this.threadAt);
    if (!memory.hasSpaceFor(5 * events)) return false;
    head.set(HEAD_LINKS, memory.add(4 * events));
    head.set(HEAD_ACTIONS, memory.add(events));
    memory.restart();
    this.windowRow = this.windowEnd = this.timesEnd = 0;
    return true;
  }

  /** The columns of pairing. */
  columns(events: number): { readonly action: Uint8Array; readonly link: Int32Array } {
    const { memory, head } = this;
    return { action: memory.bytes(head.get(HEAD_ACTIONS), events), link: memory.ints(head.get(HEAD_LINKS), events) };
  }

  /** Has the sites of events in the window from a row on; returns the row after the last one. */
  loadSites({ site }: ThreadEvents, row: number): number {
    if (row >= this.windowRow && row < this.windowEnd) return this.windowEnd;
    this.windowRow = this.timesEnd = row;
    this.windowEnd = Math.min(row + WINDOW, site.length);
    this.windowSites.set(site.subarray(row, this.windowEnd));
    this.head.set(HEAD_WINDOW_ROW, row);
    return this.windowEnd;
  }

  /** Likewise with their times. */
  loadEvents(events: ThreadEvents, row: number): number {
    const end = this.loadSites(events, row);
    if (row >= this.timesEnd) {
      this.windowTimes.set(events.timeNs.subarray(this.windowRow, end));
      this.timesEnd = end;
    }
    return end;
  }
}

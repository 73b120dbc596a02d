/**
 * The compiled module of replay (src/replay/wasm) and its memory: tables of the trace, and what belongs to the thread that
 * is replayed.
 */
import type { LogColumns } from '../model/calls/call-log.js';
import type { PageMemory, Pages } from '../model/trace/pages.js';
import type { ThreadEvents } from '../model/trace/thread-events.js';
import { type FunctionId, NONE, type SiteId } from '../model/units.js';
import { passRows } from '../model/work.js';
import { type SharedMemory, sharedMemory, WasmModule } from '../wasm/module.js';
import type { FunctionTable } from './functions/function-table.js';
import { callsSwitcher, isInlinedAt, type SiteFacts, Step, touches } from './functions/site-facts.js';
import { Trait } from './functions/traits.js';
import { type Head, ModuleMemory } from './module-memory.js';
import {
  FUNCTION_BARE_NAME,
  FUNCTION_BYTES,
  FUNCTION_STUB_TARGET,
  FUNCTION_SYMBOL,
  FUNCTION_TRAITS,
  HEAD_ACTIONS,
  HEAD_DOUBTFUL,
  HEAD_DURATIONS,
  HEAD_FUNCTIONS,
  HEAD_HIGHEST,
  HEAD_INFERRED,
  HEAD_IS_CHANGED,
  HEAD_LINKS,
  HEAD_LOG_CODE,
  HEAD_LOG_EVENT,
  HEAD_LOG_FAR,
  HEAD_LOG_SINCE,
  HEAD_PAGE_BITS,
  HEAD_PAIRED,
  HEAD_RENAMES,
  HEAD_SITES,
  HEAD_SLOT_OF,
  HEAD_WINDOW_ROW,
  HEAD_WINDOW_SITES,
  HEAD_WINDOW_TIMES,
  LIST_ENTRIES,
  LISTED_BYTES,
  PAIR_BYTES,
  PAIRED_BYTES,
  SITE_BYTES,
  SITE_FROM,
  SITE_FROM_FUNCTION,
  SITE_PAIR,
  SITE_STEP,
  SITE_TO,
  SITE_TO_FUNCTION,
  SITE_TO_SYMBOL,
} from './wasm/layout.js';
import { REPLAY_BASE64 } from './wasm.generated.js';

/** The module sees this many rows of the thread at a time: they stay in the cache. */
const WINDOW = 4096;

/** See LISTED_… of wasm/layout.ts. */
export interface CallList {
  readonly ints: Int32Array;
  readonly floats: Float64Array;
}

/** Columns of a call log. */
interface LogRows extends LogColumns {
  /** The row of the event that makes the call that a row opens; NONE: the trace does not show it. */
  readonly event: Int32Array;
}

export class ReplayModule {
  readonly head: Head;
  /** By function, for the index of open frames. */
  readonly highest: Int32Array;
  /** The complete calls that the module counted last, as pairs of a symbol and a bucket of its histogram. */
  readonly durations: Int32Array;
  /** Inferred calls that are not counted yet. */
  readonly inferred: CallList;
  /** Inferred time whose reason is not counted yet. */
  readonly doubtful: CallList;
  /** Rows that the call log gets, and rows of it that get another node. */
  readonly logRows: LogRows;
  readonly renames: CallList;
  private readonly windowSites: Int32Array;
  private readonly windowTimes: Float64Array;
  /** The rows whose sites are in the window, and how many of their times are. */
  private windowRow = 0;
  private windowEnd = 0;
  private timesEnd = 0;
  /** Of the thread. */
  pairedMemory: PageMemory = { slots: new Int32Array(0), slotOf: new Int32Array(0), isChanged: new Uint8Array(0) };
  /** Where what belongs to the thread begins. */
  private readonly threadAt: number;

  private constructor(
    readonly calls: ReplayExports,
    readonly memory: ModuleMemory,
    facts: SiteFacts,
  ) {
    const { functions } = facts;
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
    this.doubtful = addList(HEAD_DOUBTFUL);
    this.logRows = {
      sinceNs: memory.shorts(add(HEAD_LOG_SINCE, 2 * LIST_ENTRIES), LIST_ENTRIES),
      farNs: memory.floats(add(HEAD_LOG_FAR, 8 * LIST_ENTRIES), LIST_ENTRIES),
      code: memory.ints(add(HEAD_LOG_CODE, 4 * LIST_ENTRIES), LIST_ENTRIES),
      event: memory.ints(add(HEAD_LOG_EVENT, 4 * LIST_ENTRIES), LIST_ENTRIES),
    };
    this.renames = addList(HEAD_RENAMES);
    this.threadAt = memory.end;
    memory.restart();
  }

  /** Returns null if the machine or the trace is too small or too large for it. */
  static start(facts: SiteFacts): ReplayModule | null {
    const pages = reserveMemory();
    if (pages === null) return null;
    const memory = new ModuleMemory(pages);
    if (SITE_BYTES * facts.step.length >= memory.space) return null;
    return new ReplayModule(REPLAY.start(pages), memory, facts);
  }

  /** Begins a thread. False if the memory is too small. */
  begin({ pages: { slotOf, pageRows }, pairedPages }: ThreadEvents): boolean {
    const { memory, head } = this;
    memory.cutAt(this.threadAt);
    const pages = slotOf.length;
    const slots = Math.min(pairedPages, Math.floor((memory.space - 4 * pages) / (PAIRED_BYTES * pageRows + 1)) - 1);
    if (slots < 1) return false;
    const pairedAt = memory.add(PAIRED_BYTES * pageRows * slots);
    const slotOfAt = memory.add(4 * pages);
    const isChangedAt = memory.add(slots);
    head.set(HEAD_PAIRED, pairedAt);
    head.set(HEAD_SLOT_OF, slotOfAt);
    head.set(HEAD_IS_CHANGED, isChangedAt);
    head.set(HEAD_PAGE_BITS, Math.log2(pageRows));
    this.pairedMemory = {
      slots: memory.ints(pairedAt, (PAIRED_BYTES * pageRows * slots) / 4),
      slotOf: memory.ints(slotOfAt, pages),
      isChanged: memory.bytes(isChangedAt, slots),
    };
    memory.restart();
    this.windowRow = this.windowEnd = this.timesEnd = 0;
    return true;
  }

  /**
   * Has the sites of events in the window from a row on, and what pairing finds of them, which is in `pages`; returns the
   * row after the last one. No other page may be needed until the module has run.
   */
  loadSites(events: ThreadEvents, row: number, pages: Pages): number {
    const { head } = this;
    const { pageRows } = pages;
    const pageAt = head.get(HEAD_PAIRED) + PAIRED_BYTES * pageRows * pages.slotAt(row);
    const firstRow = row - (row % pageRows);
    head.set(HEAD_LINKS, pageAt - 4 * firstRow);
    head.set(HEAD_ACTIONS, pageAt + 4 * pageRows - firstRow);
    if (row >= this.windowRow && row < this.windowEnd) return this.windowEnd;
    const { site, siteAt, length } = events.from(row);
    this.windowRow = this.timesEnd = row;
    this.windowEnd = row + Math.min(WINDOW, length);
    passRows(this.windowEnd - row);
    this.windowSites.set(site.subarray(siteAt, siteAt + this.windowEnd - row));
    head.set(HEAD_WINDOW_ROW, row);
    return this.windowEnd;
  }

  /** Likewise with their times. */
  loadEvents(events: ThreadEvents, row: number, pages: Pages): number {
    const end = this.loadSites(events, row, pages);
    if (row >= this.timesEnd) {
      const { timeNs, timeAt } = events.from(this.windowRow);
      this.windowTimes.set(timeNs.subarray(timeAt, timeAt + end - this.windowRow));
      this.timesEnd = end;
    }
    return end;
  }
}

/** Writes what is known of sites and functions into the module's memory, as rows. */
function writeSites(memory: ModuleMemory, at: number, facts: SiteFacts): void {
  const { step, from, to, toFunction, functions } = facts;
  const bytes = memory.bytes(at, SITE_BYTES * step.length);
  const ints = memory.ints(at, (SITE_BYTES / 4) * step.length);
  const floats = memory.floats(at, (SITE_BYTES / 8) * step.length);
  for (let site = 0; site < step.length; site++) {
    const row = SITE_BYTES * site;
    floats[(row + SITE_FROM) >> 3] = from[site];
    floats[(row + SITE_TO) >> 3] = to[site];
    ints[(row + SITE_FROM_FUNCTION) >> 2] = simpleFrom(facts, site);
    ints[(row + SITE_TO_FUNCTION) >> 2] = toFunction[site];
    ints[(row + SITE_TO_SYMBOL) >> 2] = toFunction[site] === NONE ? NONE : functions.symbol[toFunction[site]];
    bytes[row + SITE_PAIR] = simplePair(facts, site);
    bytes[row + SITE_STEP] = step[site];
  }
}

/** Returns the function that an event comes from; NONE if the general rules have to decide what it does. */
function simpleFrom(facts: SiteFacts, site: SiteId): number {
  const { step, fromFunction, toFunction, functions } = facts;
  const [fn, target] = [fromFunction[site], toFunction[site]];
  if (fn === NONE || isInlinedAt(facts.inlined, site)) return NONE;
  if (touches(facts, site, Trait.TaskSwitch)) return NONE;
  const isStub = (functions.traits[fn] & Trait.Stub) !== 0; // what it does in other events is not known at first
  switch (step[site]) {
    case Step.Jump:
      return isSimpleJump(facts, site) ? fn : NONE;
    case Step.Call:
    case Step.KernelEntry:
    case Step.Return:
      return isStub || target === NONE ? NONE : fn;
    case Step.Stay:
    case Step.End:
    case Step.EndSyscall:
      return isStub ? NONE : fn;
    default:
      return NONE;
  }
}

/** True if a jump leads to another function, neither back to an open one nor to another stack; see `jumpTo` in stack/hidden-jumps.ts. */
function isSimpleJump({ fromFunction, toFunction, toEntry, functions: { traits } }: SiteFacts, site: SiteId): boolean {
  const [from, target] = [traits[fromFunction[site]], traits[toFunction[site]]];
  if (from & Trait.MaySwitch || target & (Trait.ColdPart | Trait.ProgramStart) || from & target & Trait.Stub)
    return false;
  return toEntry[site] === 1 || (target & Trait.Unknown) !== 0;
}

/** Returns the step of an event; `Gap` if the general rules have to decide what it pairs with. */
function simplePair(facts: SiteFacts, site: SiteId): number {
  const { step, fromFunction, toFunction, functions } = facts;
  const has = (fn: FunctionId, trait: number) => fn !== NONE && (functions.traits[fn] & trait) !== 0;
  const fn = fromFunction[site];
  if (step[site] === Step.Call) return leavesByCall(facts, site) ? Step.Gap : Step.Call;
  if (step[site] === Step.Return && has(toFunction[site], Trait.SystemCaller)) return Step.Gap;
  const mayLeaveStack = step[site] === Step.Return || step[site] === Step.Jump;
  return mayLeaveStack && has(fn, Trait.StackSwitcher | Trait.LongJump) ? Step.Gap : step[site];
}

/** True if what is called may run on another stack, or end on one. */
function leavesByCall(facts: SiteFacts, site: SiteId): boolean {
  const { fromFunction, toFunction, functions } = facts;
  const has = (fn: FunctionId, trait: number) => fn !== NONE && (functions.traits[fn] & trait) !== 0;
  return (
    callsSwitcher(facts, site) || has(fromFunction[site], Trait.SystemCaller) || has(toFunction[site], Trait.LongJump)
  );
}

function writeFunctions(memory: ModuleMemory, at: number, functions: FunctionTable): void {
  const { length, symbol, traits, stubTarget, bareName } = functions;
  const ints = memory.ints(at, (FUNCTION_BYTES / 4) * length);
  for (let fn = 0; fn < length; fn++) {
    const row = FUNCTION_BYTES * fn;
    ints[(row + FUNCTION_SYMBOL) >> 2] = symbol[fn];
    ints[(row + FUNCTION_TRAITS) >> 2] = traits[fn];
    ints[(row + FUNCTION_STUB_TARGET) >> 2] = stubTarget[fn];
    ints[(row + FUNCTION_BARE_NAME) >> 2] = bareName[fn];
  }
}

/** Rows are those of the thread. Both functions return the row before which they stopped; HEAD_STOP says why. */
interface ReplayExports {
  pair(firstRow: number, endRow: number): number;
  execute(firstRow: number, endRow: number): number;
}

const REPLAY = new WasmModule<ReplayExports>(REPLAY_BASE64);

/** Returns null if the machine does not have so many addresses to spare. */
function reserveMemory(): SharedMemory | null {
  try {
    return sharedMemory();
  } catch {
    return null;
  }
}

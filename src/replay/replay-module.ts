/**
 * The compiled module of replay (src/replay/wasm) and its memory: tables of the trace, and what belongs to the thread that
 * is replayed.
 */
import type { ThreadEvents } from '../model/trace/trace-chunk.js';
import { type FunctionId, NONE, type SiteId } from '../model/units.js';
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

export class ReplayModule {
  readonly calls: ReplayExports;
  readonly head: Head;
  readonly memory: ModuleMemory;
  /** By function, for the index of open frames. */
  readonly highest: Int32Array;
  /** The complete calls that the module counted last, as pairs of a symbol and a bucket of its histogram. */
  readonly durations: Int32Array;
  /** Inferred calls that are not counted yet. */
  readonly inferred: CallList;
  /** Inferred time whose reason is not counted yet. */
  readonly doubtful: CallList;
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

  private constructor(calls: ReplayExports, memory: ModuleMemory, facts: SiteFacts) {
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
    this.doubtful = addList(HEAD_DOUBTFUL);
    this.logRows = addList(HEAD_LOG);
    this.renames = addList(HEAD_RENAMES);
    this.threadAt = memory.end;
    this.begin(0);
  }

  /** Returns null if the machine or the trace is too small or too large for it. */
  static start(facts: SiteFacts): ReplayModule | null {
    const pages = reserveMemory();
    if (pages === null) return null;
    const memory = new ModuleMemory(pages);
    if (!memory.hasSpaceFor(SITE_BYTES * facts.step.length)) return null;
    return new ReplayModule(REPLAY.start(pages), memory, facts);
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
    return sharedMemory(1);
  } catch {
    return null;
  }
}

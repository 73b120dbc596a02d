/**
 * Reduces a thread's events to those that matter for a time window: what is inside of it, and outside only what decides
 * which calls are open there, since when and until when. Replay of the skeleton gives the same calls, times and stops in
 * the window as replay of all events.
 *
 * Left out is what leaves nothing behind: a call from the function on top, up to its own return to that function, with
 * whatever happened in between, and events that stay in the function on top. What happens within a level that is still
 * open is kept if it changes the level, such as a hidden jump, together with the event before it, which gives its time.
 * Switches, returns of callers that were never called, and stops that do not end at once where they began are always kept,
 * and so are the events next to them.
 */

import { int32Column } from '../model/columns.js';
import type { ThreadEvents } from '../model/trace/thread-events.js';
import { type Address, type Bounds, type FunctionId, NONE, type SymbolId } from '../model/units.js';
import { orNameless } from './functions/function-table.js';
import { type SiteFacts, Step, SYSCALL_BYTES } from './functions/site-facts.js';
import { MAX_CALL_BYTES, Trait } from './functions/traits.js';
import { OwnRows, type Rows } from './module-memory.js';

export interface Skeleton {
  readonly events: ThreadEvents;
  /** The functions to which control moved without an event, by symbol. */
  readonly jumpedTo: readonly SymbolId[];
}

/** Where a site comes from, or, if odd, leads to: twice its number, or one more. */
export type SiteEnd = number;

export function functionAt({ functions, fromFunction, toFunction }: SiteFacts, end: SiteEnd): FunctionId {
  return orNameless(functions, (end % 2 === 0 ? fromFunction : toFunction)[end >> 1]);
}

/** What matters of a thread, whichever parts of its time are asked about. */
export interface OutlineRows {
  readonly rows: Int32Array;
  /** The functions to which control moved without an event. */
  readonly jumpedTo: ReadonlySet<FunctionId>;
}

/** A kernel entry may return to the very instruction, which counts as after it. */
const BEFORE = 0.5;

/** No function: the next event is kept. */
const UNSETTLED = -2;

export class SkeletonBuilder {
  private readonly sites: SiteRows;
  private readonly levels = new OpenLevels();
  private readonly kept = int32Column();
  private readonly jumpedTo = new Set<FunctionId>();
  /** Rows kept before the part that is reduced now: they stay. */
  private fixed = 0;
  /** The function on top; NONE: not known yet. */
  private top: FunctionId = NONE;
  /** The same, or UNSETTLED after an event that is always kept. */
  private settledTop: number = UNSETTLED;
  /** Levels below this index contain an event that is always kept. */
  private lastingBelow = 0;
  /** The last event, left out unless the next one needs its time, and how many rows are kept before it then. */
  private lastRow = NONE;
  private lastLength = 0;
  private hasBegun = false;
  /** Where the trace stopped; NaN: it runs. */
  private stoppedAt: Address = Number.NaN;
  private resumeReach = 0;
  private stoppedInCall = false;
  /** The row of the last stop. */
  private stopRow = NONE;

  constructor(private readonly facts: SiteFacts) {
    this.sites = siteRows(facts);
  }

  /**
   * Moves the rows to keep to the front of the columns. null: the thread has no skeleton, and nothing was moved. `jumps`: of
   * its outline, if the others of its events are missing.
   */
  reduce(events: ThreadEvents, { startNs, endNs }: Bounds, jumps: readonly SiteEnd[] = []): Skeleton | null {
    if (this.facts.hasAborts) return null;
    this.clear();
    for (const end of jumps) this.jumpedTo.add(functionAt(this.facts, end));
    const start = events.firstRowFrom(startNs);
    const end = events.firstRowFrom(endNs, start);
    const isUsual =
      this.reduceRows(events, 0, start) &&
      this.keepRows(events, start, end) &&
      this.reduceRows(events, end, events.length);
    return isUsual ? { events: rowsOf(events, this.kept.view()), jumpedTo: this.jumpedSymbols() } : null;
  }

  /**
   * Returns the rows that matter for every time that begins and ends at some of `ends`, which ascend to the last row; null:
   * the thread has no skeleton.
   */
  outline(events: ThreadEvents, ends: readonly number[]): OutlineRows | null {
    if (this.facts.hasAborts) return null;
    this.clear();
    let start = 0;
    for (const end of ends) {
      if (!this.reduceRows(events, start, end)) return null;
      start = end;
    }
    return { rows: this.kept.view(), jumpedTo: this.jumpedTo };
  }

  private clear(): void {
    this.levels.depth = 0;
    this.kept.length = 0;
    this.jumpedTo.clear();
    this.top = NONE;
    this.settledTop = UNSETTLED;
    this.lastingBelow = 0;
    this.lastRow = NONE;
    this.hasBegun = false;
    this.stopRow = NONE;
    this.stoppedAt = Number.NaN;
  }

  private jumpedSymbols(): SymbolId[] {
    const { symbol } = this.facts.functions;
    return [...new Set([...this.jumpedTo].map((fn) => symbol[fn]))];
  }

  /** Reduces the events of a range of rows. Returns false if one of them is unusual. */
  private reduceRows(events: ThreadEvents, firstRow: number, endRow: number): boolean {
    this.fixed = this.kept.length;
    this.settledTop = UNSETTLED;
    for (let row = firstRow; row < endRow; ) {
      const { site, siteAt, length } = events.from(row, endRow);
      const end = siteAt + length;
      for (let at = siteAt; (at = this.passSimple(site, at, end, row - siteAt)) < end; at++)
        if (!this.add(row - siteAt + at, site[at])) return false;
      row += length;
    }
    this.keepLast();
    return true;
  }

  /** Keeps all events of a range of rows. Returns false if one of them is unusual. */
  private keepRows(events: ThreadEvents, firstRow: number, endRow: number): boolean {
    for (let row = firstRow; row < endRow; row++) {
      if (!this.add(row, events.siteAt(row))) return false;
    }
    return true;
  }

  /**
   * Reduces events that are simple, which nearly all are: those that stay in the function on top or call from it, and returns
   * of which nothing is left. Returns the index of the first other one, or `end`. `rowOf`: the row of index 0.
   */
  private passSimple(site: Uint32Array, start: number, end: number, rowOf: number): number {
    if (!Number.isNaN(this.stoppedAt)) return start;
    const { levels, kept, fixed, lastingBelow } = this;
    const { ints, floats } = this.sites;
    const { ints: own, floats: addresses } = levels.withSpace(end - start);
    const { values } = kept.withSpace(end - start);
    let { settledTop, lastLength, lastRow } = this; // local names make the loop faster
    let { depth } = levels;
    let { length } = kept;
    let at = start;
    for (; at < end; at++) {
      const id = site[at];
      const row = ROW_INTS * id;
      const step = ints[row + CLASS];
      if (step === Step.Return && depth > lastingBelow) {
        const level = LEVEL_INTS * (depth - 1);
        const before = own[level + KEPT_BEFORE];
        const distance = floats[ROW_FLOATS * id + TO] - addresses[level >> 1];
        if (!(distance > 0 && distance <= MAX_CALL_BYTES) || ints[row + TO_FUNCTION] !== own[level + CALLER]) break;
        if (before < fixed || own[level + IS_LASTING] === 1) break;
        depth--;
        lastLength = length;
        lastRow = rowOf + at;
        length = before;
        settledTop = ints[row + TO_FUNCTION];
      } else if (ints[row + SIMPLE_FROM] !== settledTop) break;
      else if (step === Step.Call) {
        const level = LEVEL_INTS * depth++;
        addresses[level >> 1] = floats[ROW_FLOATS * id + FROM];
        own[level + CALLER] = settledTop;
        own[level + KEPT_BEFORE] = length;
        own[level + IS_LASTING] = 0;
        values[length++] = rowOf + at;
        lastRow = NONE;
        settledTop = ints[row + TO_FUNCTION];
      } else if (step === Step.Stay) {
        lastLength = length;
        lastRow = rowOf + at;
      } else break;
    }
    this.top = settledTop === UNSETTLED ? this.top : settledTop;
    this.settledTop = settledTop;
    this.lastLength = lastLength;
    this.lastRow = lastRow;
    levels.depth = depth;
    kept.length = length;
    return at;
  }

  /** Adds an event that is kept for now. False if it is unusual. */
  private add(row: number, id: number): boolean {
    const step = this.sites.ints[ROW_INTS * id + CLASS];
    return step === Step.Return && this.levels.depth > 0 ? this.endLevel(row, id) : this.addOther(row, id, step);
  }

  /** Ends the level on top by its own return, which is kept; false if it does not return there. */
  private endLevel(row: number, id: number): boolean {
    const { levels, kept, stoppedAt } = this;
    const { ints, floats } = this.sites;
    const index = --levels.depth;
    const distance = floats[ROW_FLOATS * id + TO] - levels.address(index);
    if (!(distance > 0 && distance <= MAX_CALL_BYTES) || !Number.isNaN(stoppedAt)) return false;
    if (this.facts.fromFunction[id] !== this.top) this.keepLast();
    kept.push(row);
    this.lastRow = NONE;
    if (this.lastingBelow > index) this.lastingBelow = index;
    this.top = this.settledTop = ints[ROW_INTS * id + TO_FUNCTION];
    return true;
  }

  /** Adds an event that is kept for now: after a hidden jump, or because it is not simple. False if it is unusual. */
  private addOther(row: number, id: number, step: number): boolean {
    if (step === UNUSUAL) return false;
    if (step >= Step.Gap) return this.addRecord(row, step);
    if (step === Step.Start) return this.addStart(row, id);
    const { facts, levels, kept } = this;
    if (!Number.isNaN(this.stoppedAt) || !this.comesFrom(facts.fromFunction[id])) return false;
    this.hasBegun = true;
    this.keepLast();
    if (step === Step.Call) levels.push(facts.from[id], this.top, kept.length);
    if (step === Step.KernelEntry) levels.push(facts.from[id] - BEFORE, this.top, kept.length);
    kept.push(row);
    if (step >= Step.End) return this.addStop(row, id, step);
    if (step === Step.Return && facts.toEntry[id] === 1) return false; // a jump by a return
    if (step !== Step.Stay) this.top = orNameless(facts.functions, facts.toFunction[id]);
    if (step === Step.Jump) this.jumpedTo.add(this.top);
    this.settledTop = this.top === NONE ? UNSETTLED : this.top;
    if (step === Step.Return) this.markLasting();
    return true;
  }

  /** Notes the function that the next event comes from. False if a program begins there. */
  private comesFrom(fn: FunctionId): boolean {
    if (fn === NONE || fn === this.top) return true;
    const isFirst = this.top === NONE && this.levels.depth === 0;
    if (!isFirst) this.jumpedTo.add(fn);
    this.top = fn;
    return isFirst || !startsProgram(this.facts, fn);
  }

  /** Notes that the trace stops after the event just kept. */
  private addStop(row: number, id: number, step: number): boolean {
    this.stopRow = row;
    const { from, to, toFunction, functions } = this.facts;
    this.stoppedAt = from[id];
    this.resumeReach = step === Step.EndCall ? MAX_CALL_BYTES : SYSCALL_BYTES;
    this.stoppedInCall = step === Step.EndCall && to[id] !== 0;
    if (this.stoppedInCall) {
      this.levels.push(from[id], this.top, this.kept.length - 1);
      this.top = orNameless(functions, toFunction[id]);
    }
    return true;
  }

  /** A start must continue where the trace stopped. */
  private addStart(row: number, id: number): boolean {
    const { facts, levels, stoppedAt } = this;
    const to = facts.to[id];
    if (this.hasBegun && !(stoppedAt <= to && to <= stoppedAt + this.resumeReach)) return false;
    const isSame = this.hasBegun && row === this.stopRow + 1 && !this.stoppedInCall;
    this.kept.push(row);
    if (this.hasBegun && this.stoppedInCall) levels.depth--;
    this.stoppedInCall = false;
    this.stoppedAt = Number.NaN;
    this.hasBegun = true;
    this.top = orNameless(facts.functions, facts.toFunction[id]);
    if (isSame)
      this.settledTop = UNSETTLED; // the level continues: the stop matters only in it
    else this.markLasting();
    return true;
  }

  /** A loss or an exec changes the whole stack, if there is one. */
  private addRecord(row: number, step: number): boolean {
    if (this.hasBegun && (step === Step.Gap || step === Step.Exec)) return false;
    this.keepLast();
    this.kept.push(row);
    this.markLasting();
    return true;
  }

  /** Notes that the event just kept is always kept: so are the open levels, and the next event. */
  private markLasting(): void {
    this.lastingBelow = this.levels.depth;
    this.settledTop = UNSETTLED;
  }

  /** Keeps the event before the next one. If it ends a level, so is what was kept of that: jumps lead to where it comes from. */
  private keepLast(): void {
    const { lastLength, lastRow, kept } = this;
    if (lastRow === NONE) return;
    kept.length = lastLength;
    kept.push(lastRow);
    this.lastRow = NONE;
  }
}

/** Moves these rows, which ascend, to the front. */
function rowsOf(events: ThreadEvents, rows: Int32Array): ThreadEvents {
  const { length } = rows;
  for (let at = 0; at < length; at++) events.set(at, events.siteAt(rows[at]), events.timeAt(rows[at]));
  events.length = length;
  return events;
}

// What a skeleton needs to know of each site.

/** An event of such a site may affect calls far away from it: a thread that has one has no skeleton. */
const UNUSUAL = 255;

/** Functions that leave several frames at once, change stacks, or pass control on by a return. */
const UNUSUAL_TRAITS =
  Trait.Unwinder |
  Trait.StackSwitcher |
  Trait.Retpoline |
  Trait.ReturnThunk |
  Trait.Resumer |
  Trait.Raiser |
  Trait.Panic |
  Trait.TaskSwitch;

/** A row of 32 bytes for each site, so that an event reads memory once. */
interface SiteRows {
  readonly ints: Int32Array;
  readonly floats: Float64Array;
}

/** What a row contains, in integers and floating-point numbers: `Step` or UNUSUAL, functions, addresses. */
const ROW_INTS = 8;
const ROW_FLOATS = 4;
const CLASS = 0;
const SIMPLE_FROM = 1;
const TO_FUNCTION = 2;
const FROM = 2;
const TO = 3;

function siteRows(facts: SiteFacts): SiteRows {
  const { step, toFunction, functions, from, to } = facts;
  const ints = new Int32Array(ROW_INTS * step.length);
  const floats = new Float64Array(ints.buffer);
  for (let site = 0; site < step.length; site++) {
    ints[ROW_INTS * site + CLASS] = isUnusual(facts, step[site] as Step, site) ? UNUSUAL : step[site];
    ints[ROW_INTS * site + SIMPLE_FROM] = simpleFrom(facts, site);
    ints[ROW_INTS * site + TO_FUNCTION] = orNameless(functions, toFunction[site]);
    floats[ROW_FLOATS * site + FROM] = from[site];
    floats[ROW_FLOATS * site + TO] = to[site];
  }
  return { ints, floats };
}

/** Returns the function that an event comes from; NONE if that does not tell what it does, as in a stub. */
function simpleFrom(facts: SiteFacts, site: number): number {
  const { step, fromFunction, toFunction } = facts;
  const isSimple = step[site] === Step.Stay || (step[site] === Step.Call && toFunction[site] !== NONE);
  const isInStub = (traitsOf(facts, fromFunction[site]) & Trait.Stub) !== 0;
  return isSimple && !isInStub ? fromFunction[site] : NONE;
}

function isUnusual(facts: SiteFacts, step: Step, site: number): boolean {
  const { fromFunction, toFunction, abortsTransaction, leavesGuest } = facts;
  if (step === Step.EndReturn || step === Step.KernelExit) return true;
  if (abortsTransaction[site] === 1 || leavesGuest[site] === 1) return true;
  const traits = traitsOf(facts, fromFunction[site]) | traitsOf(facts, toFunction[site]);
  return (traits & UNUSUAL_TRAITS) !== 0 || (step === Step.Jump && startsProgram(facts, toFunction[site]));
}

/** True if a program begins in the function: then nothing below it stays open. */
function startsProgram(facts: SiteFacts, fn: FunctionId): boolean {
  return (traitsOf(facts, fn) & Trait.ProgramStart) !== 0;
}

function traitsOf({ functions }: SiteFacts, fn: FunctionId): number {
  return fn === NONE ? Trait.None : functions.traits[fn];
}

/** A row of 32 bytes for each open call: where it was made, and in integers what follows. */
const LEVEL_INTS = 8;
/** The function that made it. */
const CALLER = 2;
/** How many rows were kept before it. */
const KEPT_BEFORE = 3;
/** 1: it and its return are kept even if nothing else happens. */
const IS_LASTING = 4;

/** The calls that are open while a skeleton is built. */
class OpenLevels {
  depth = 0;
  private readonly rows = new OwnRows(64 * LEVEL_INTS * Int32Array.BYTES_PER_ELEMENT);

  /** Returns the rows, with space for so many more. */
  withSpace(levels: number): Rows {
    while (this.rows.ints.length < LEVEL_INTS * (this.depth + levels)) this.rows.grow();
    return this.rows;
  }

  /** Adds a call that is kept, with its return. */
  push(address: Address, caller: FunctionId, keptBefore: number): void {
    const { ints, floats } = this.withSpace(1);
    const level = LEVEL_INTS * this.depth++;
    floats[level >> 1] = address;
    ints[level + CALLER] = caller;
    ints[level + KEPT_BEFORE] = keptBefore;
    ints[level + IS_LASTING] = 1;
  }

  address(index: number): Address {
    return this.rows.floats[(LEVEL_INTS * index) >> 1];
  }
}

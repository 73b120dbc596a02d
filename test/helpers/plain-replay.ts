/**
 * Replay once more, slowly and plainly: the twin that `replayThread` is checked against.
 *
 * It works as a reader does with pencil and paper. The stack is a list of levels; a level is what one call
 * instruction put there: the function that was called and, behind it, those that it jumped to. Where an event alone
 * does not say what it means, the reader copies the levels to a scrap of paper and reads on until the answer comes
 * (`callersNeverSeenCalling`, `howTopEnds`). Nothing is prepared, and nothing is fast.
 */
import { type InferenceName, noInferences } from '../../src/model/quality.js';
import type { SymbolTable } from '../../src/model/symbol-table.js';
import type { ThreadEvents } from '../../src/model/thread-events.js';
import { LONGEST_CALL_BYTES, Trait } from '../../src/replay/functions.js';
import type { LostStretch, ReplayOptions } from '../../src/replay/replay.js';
import { type SiteFacts, Step, SYSCALL_BYTES } from '../../src/replay/site-facts.js';

/** All calls along one path of names. */
export interface PlainRow {
  readonly path: readonly string[];
  calls: number;
  inferredCalls: number;
  selfNs: number;
  completeNs: number;
  minNs: number; // Infinity if no call is complete
  maxNs: number; // -Infinity likewise
}

/** One line of the replay's diary: a frame that opens (+), closes (-) or turns out to be another function (~). */
export interface StackChange {
  /** Of the event that brought it about; `events.length` at the end of the trace. */
  readonly row: number;
  readonly sign: '+' | '-' | '~';
  /** Of the frame; the outermost is 0. */
  readonly depth: number;
  readonly name: string;
  readonly why: string;
}

export interface PlainReplay {
  /** By path. */
  readonly rows: readonly PlainRow[];
  readonly startNs: number;
  readonly endNs: number;
  readonly inferred: Readonly<Record<InferenceName, number>>;
  readonly lost: readonly LostStretch[];
  readonly changes: readonly StackChange[];
}

/** Does what `replayThread` does. */
export function plainReplay(
  events: ThreadEvents,
  facts: SiteFacts,
  symbols: SymbolTable,
  options: ReplayOptions,
): PlainReplay {
  return new Reader(plainEvents(events, facts, symbols), facts, options).run();
}

interface Fn {
  readonly name: string;
  readonly bareName: string;
  readonly is: (trait: number) => boolean;
  /** For `foo@plt`: foo, if it was seen. */
  leadsTo: Fn | null;
}

interface PlainEvent {
  readonly row: number;
  readonly timeNs: number;
  readonly step: Step;
  readonly from: number;
  readonly to: number;
  readonly fromFn: Fn | null; // null: no address
  readonly toFn: Fn;
  readonly toEntry: boolean;
}

function plainEvents({ length, site, timeNs }: ThreadEvents, facts: SiteFacts, symbols: SymbolTable): PlainEvent[] {
  const { symbol, bareName, traits, stubTarget, nameless } = facts.functions;
  const functions = symbol.map((id, fn): Fn => {
    const is = (trait: number) => ((traits[fn] as number) & trait) !== 0;
    return { name: symbols.name[id] as string, bareName: bareName[fn] as string, is, leadsTo: null };
  });
  functions.forEach((fn, id) => {
    const target = functions[stubTarget[id] as number];
    fn.leadsTo = target && !target.is(Trait.Stub) ? target : null;
  });
  return Array.from({ length }, (_, row) => {
    const at = site[row];
    return {
      row,
      timeNs: timeNs[row],
      step: facts.step[at] as Step,
      from: facts.from[at],
      to: facts.to[at],
      fromFn: functions[facts.fromFunction[at]] ?? null,
      toFn: (functions[facts.toFunction[at]] ?? functions[nameless]) as Fn,
      toEntry: facts.toEntry[at] === 1,
    };
  });
}

type Opening = 'called' | 'jumped to' | InferenceName;
type Closing = 'returned' | 'jumped on' | InferenceName;

interface Frame {
  fn: Fn;
  path: readonly string[];
  readonly entryNs: number;
  how: Opening;
  selfNs: number;
  /** Other symbols inside which its code was seen. */
  readonly alsoKnownAs: Fn[];
}

const isOf = (frame: Frame, fn: Fn) => frame.fn === fn || frame.alsoKnownAs.includes(fn);

interface Level {
  readonly begunBy: 'call' | 'kernel entry' | 'signal' | 'before the segment';
  /** Of the call instruction; of a signal: where it came in. */
  readonly address: number;
  readonly frames: Frame[];
}

/** What an event does to the levels; `pop`: those from `place` on are over. */
type Meaning =
  | { readonly is: 'plain' | 'jump by return' | 'goes on' | 'back from signal' | 'contradiction' }
  | { readonly is: 'push'; readonly level: Level }
  | { readonly is: 'pop' | 'end of handler'; readonly place: number };

const newLevel = (begunBy: Level['begunBy'], address: number): Level => ({ begunBy, address, frames: [] });
const isBreak = ({ step }: PlainEvent) => step === Step.Gap || step === Step.Exec;
const isSwitch = ({ step }: PlainEvent) =>
  step === Step.SwitchOut || step === Step.PreemptOut || step === Step.SwitchIn;
const isEnd = ({ step }: PlainEvent) =>
  step === Step.End || step === Step.EndSyscall || step === Step.EndCall || step === Step.EndReturn;

/** The levels, and all that addresses say about them: names play no part in here. */
class Levels {
  readonly list: Level[];
  /** Where the trace has stopped, how far behind it may go on, and whether in code called from here. */
  private stop: { readonly address: number; readonly reach: number; readonly inCall: boolean } | null = null;
  /** A signal handler has returned, and here goes on what the signal interrupted. */
  private interruptedAt: number | null = null;

  constructor(list: Level[]) {
    this.list = list;
  }

  /** A segment that begins with a trace start was stopped just there. */
  static atStart(first: PlainEvent): Levels {
    const levels = new Levels([]);
    if (first.step === Step.Start) levels.stop = { address: first.to, reach: 0, inCall: false };
    return levels;
  }

  copy(): Levels {
    return Object.assign(new Levels([...this.list]), { stop: this.stop, interruptedAt: this.interruptedAt });
  }

  meaningOf(event: PlainEvent): Meaning {
    const { step, from, to } = event;
    if (isBreak(event)) return { is: 'contradiction' };
    if (isSwitch(event)) return { is: 'plain' };
    if (step === Step.Start) return this.meaningOfStart(event);
    if (this.stop) return { is: 'contradiction' };
    if (step === Step.Call || (step === Step.EndCall && to !== 0)) return { is: 'push', level: newLevel('call', from) };
    if (step === Step.KernelEntry) return { is: 'push', level: newLevel('kernel entry', from) };
    if (step === Step.Return) return this.meaningOfReturn(event);
    const place = step === Step.EndReturn && to !== 0 ? this.callerFor(to) : -1;
    return place === -1 ? { is: 'plain' } : { is: 'pop', place };
  }

  /** Does to the levels what the event means; gives the levels that are over. */
  take(event: PlainEvent): { readonly meaning: Meaning; readonly over: Level[] } {
    const meaning = this.meaningOf(event);
    const over = meaning.is === 'pop' || meaning.is === 'end of handler' ? this.list.splice(meaning.place) : [];
    if (meaning.is === 'push') this.list.push(meaning.level);
    if (meaning.is === 'end of handler') this.interruptedAt = over[0]?.address ?? null;
    if (event.step === Step.Start) {
      if (!this.goesOnAtStop(event.to)) this.interruptedAt = null;
      this.stop = null;
    } else if (isEnd(event)) this.stopAt(event, meaning);
    return { meaning, over };
  }

  private stopAt({ step, from, to }: PlainEvent, meaning: Meaning): void {
    const reach = step === Step.EndCall ? LONGEST_CALL_BYTES : SYSCALL_BYTES;
    this.stop = { address: meaning.is === 'pop' ? to : from, reach, inCall: meaning.is === 'push' };
  }

  private goesOnAtStop(to: number): boolean {
    return this.stop !== null && within(this.stop.address, to, this.stop.reach);
  }

  private meaningOfStart({ to, toEntry }: PlainEvent): Meaning {
    if (this.stop === null) return { is: 'contradiction' };
    if (this.goesOnAtStop(to)) return this.stop.inCall ? { is: 'pop', place: this.list.length - 1 } : { is: 'goes on' };
    if (this.interruptedAt !== null && within(this.interruptedAt, to, SYSCALL_BYTES)) return { is: 'back from signal' };
    const place = this.list.findLastIndex((l) => l.begunBy === 'signal' && within(l.address, to, SYSCALL_BYTES));
    if (place !== -1) return { is: 'pop', place };
    if (!toEntry) return { is: 'contradiction' };
    return { is: 'push', level: newLevel('signal', this.interruptedAt ?? this.stop.address) };
  }

  private meaningOfReturn({ to, toEntry }: PlainEvent): Meaning {
    const place = this.callerFor(to);
    if (place !== -1) return { is: 'pop', place };
    if (!toEntry) return { is: 'pop', place: this.list.findLastIndex((l) => l.begunBy === 'before the segment') };
    if (this.list.at(-1)?.begunBy === 'signal') return { is: 'end of handler', place: this.list.length - 1 };
    return { is: 'jump by return' };
  }

  /** The nearest level whose return address can be `to`; -1 if there is none. */
  private callerFor(to: number): number {
    return this.list.findLastIndex(({ begunBy, address }) => {
      if (begunBy === 'kernel entry') return within(address, to, LONGEST_CALL_BYTES);
      return begunBy === 'call' && to !== address && within(address, to, LONGEST_CALL_BYTES);
    });
  }
}

const within = (address: number, to: number, reach: number) => address <= to && to <= address + reach;

/** Longer chains of jumps are loops: they go back to the frame they came from. */
const LONGEST_CHAIN = 64;

interface Pause {
  readonly path: readonly string[];
  readonly sinceNs: number;
}

/** Reads the events one after the other, and keeps the frames. */
class Reader {
  private readonly rows = new Map<string, PlainRow>();
  private readonly inferred = noInferences();
  private readonly lost: LostStretch[] = [];
  private readonly changes: StackChange[] = [];
  private readonly events: readonly PlainEvent[];
  private readonly facts: SiteFacts;
  private readonly options: ReplayOptions;
  private levels = new Levels([]);
  private nowNs = 0;
  private row = 0;
  /** The trace has stopped; the thread has no processor. */
  private stop: Pause | null = null;
  private offCpu: Pause | null = null;
  /** What the thread was switched out as; the stop may come a little later, if clocks differ. */
  private switchedOut: string | null = null;
  /** What runs between a signal handler's return and the end of the signal counts as what was interrupted. */
  private signalTail: Fn | null = null;

  constructor(events: readonly PlainEvent[], facts: SiteFacts, options: ReplayOptions) {
    this.events = events;
    this.facts = facts;
    this.options = options;
  }

  run(): PlainReplay {
    let startNs: number | null = null;
    let broken: PlainEvent[] | null = []; // errors since the last certain event; null: it all goes on
    for (const event of this.events) {
      this.row = event.row;
      if (isBreak(event)) broken = [...(broken ?? []), event];
      else if (isSwitch(event) && !broken) this.takeSwitch(event);
      else if (!isSwitch(event)) {
        if (this.levels.meaningOf(event).is === 'contradiction') broken ??= [];
        if (broken && startNs !== null) this.crossGap(event, broken);
        if (broken) this.beginSegment(event);
        startNs ??= this.extendBack(event);
        broken = null;
        this.take(event);
      }
    }
    this.finish();
    const { nowNs: endNs, inferred, lost, changes } = this;
    return { rows: this.usedRows(), startNs: startNs ?? 0, endNs, inferred, lost, changes };
  }

  /** The stack that a segment begins with: the callers that its returns will reveal, the last one lowest. */
  private beginSegment(first: PlainEvent): void {
    const callers = this.callersNeverSeenCalling(first);
    const running = first.step === Step.Start ? first.toFn : (first.fromFn ?? first.toFn);
    this.levels = Levels.atStart(first);
    this.nowNs = first.timeNs;
    this.signalTail = null;
    for (const fn of [...callers.reverse(), running]) {
      this.levels.list.push(newLevel('before the segment', Number.NaN));
      this.open(fn, 'OpenAtStart');
    }
  }

  /** On a scrap of paper: read the segment to its end, and note where returns lead that no call explains. */
  private callersNeverSeenCalling(first: PlainEvent): Fn[] {
    const callers: Fn[] = [];
    const scrap = Levels.atStart(first);
    scrap.list.push(newLevel('before the segment', Number.NaN));
    for (let row = first.row; row < this.events.length; row++) {
      const event = this.events[row] as PlainEvent;
      if (scrap.take(event).meaning.is === 'contradiction') break;
      if (scrap.list.length > 0) continue;
      callers.push(event.toFn);
      scrap.list.push(newLevel('before the segment', Number.NaN));
    }
    return callers;
  }

  /** On a scrap of paper: read on until the level on top is gone. Which level did that return leave; null: none does. */
  private howTopEnds(fromRow: number): { readonly place: number; readonly row: number } | null {
    const scrap = this.levels.copy();
    const { length } = scrap.list;
    for (let row = fromRow; row < this.events.length; row++) {
      if (scrap.take(this.events[row] as PlainEvent).meaning.is === 'contradiction') return null;
      if (scrap.list.length < length) return { place: scrap.list.length, row };
    }
    return null;
  }

  private take(event: PlainEvent): void {
    if (event.step !== Step.Start) this.syncOn(event);
    this.chargeUntil(event.timeNs);
    if (this.stop || this.offCpu) this.endPause('complete');
    const { meaning, over } = this.levels.take(event);
    for (const level of over.reverse()) this.closeLevel(level, level === over.at(-1) ? 'returned' : 'Unwound');
    if (event.step === Step.Start && meaning.is !== 'goes on') this.signalTail = null;
    if (meaning.is === 'push') this.open(event.toFn, 'called');
    // A return address is the caller's own code, whatever label stands there.
    else if (meaning.is === 'pop') this.alsoKnownAs(event.toFn);
    else if (meaning.is === 'end of handler') this.signalTail = event.toFn;
    else if (meaning.is === 'jump by return') this.jump(event.toFn, 'jumped to');
    else if (event.step === Step.Jump) this.takeJump(event);
    if (isEnd(event)) this.beginStop(event.step === Step.EndSyscall ? '[syscall]' : '[untraced]');
  }

  /** A jump that was shown. */
  private takeJump({ row, toFn, toEntry }: PlainEvent): void {
    if (isOf(this.top, toFn)) return;
    if (toEntry || toFn.is(Trait.Unknown)) return this.jump(toFn, 'jumped to');
    const landing = this.nearest(toFn, this.levels.list.length - 1, this.howTopEnds(row)?.place ?? 0);
    if (landing) this.closeAbove(landing, 'Unwound');
    else this.alsoKnownAs(toFn); // a label inside the same function
  }

  /** Makes the function that an event comes from the top of the stack: what led to it was not shown. */
  private syncOn({ row, fromFn }: PlainEvent): void {
    if (fromFn === null || isOf(this.top, fromFn) || fromFn === this.signalTail) return;
    this.signalTail = null;
    const { begunBy, frames } = this.topLevel;
    if (begunBy === 'kernel entry' && frames.length === 1) return this.alsoKnownAs(fromFn);
    if (this.unwind(fromFn, row)) return;
    const areNameless = this.top.fn.is(Trait.Unknown) && fromFn.is(Trait.Unknown);
    if (!areNameless || this.options.tailCalls === 'nest') this.jump(fromFn, 'HiddenJump');
  }

  /** Back to a deeper frame of `fn`, if the level on top does not end by a return of its own; true if it was so. */
  private unwind(fn: Fn, row: number): boolean {
    const { list } = this.levels;
    const end = this.howTopEnds(row);
    if (end?.place === list.length - 1 || this.top.fn.is(Trait.Stub | Trait.Resolver)) return false;
    if (end === null && !this.topLevel.frames[0]?.fn.is(Trait.Unwinder)) return false;
    const landing = this.nearest(fn, list.length - 2, end?.place ?? 0);
    if (landing) this.closeAbove(landing, 'Unwound');
    else if (end?.row === row) this.closeAbove((list[end.place] as Level).frames.at(-1) as Frame, 'Unwound');
    return landing !== null;
  }

  /** The nearest frame of a function in the levels from one place down to another. */
  private nearest(fn: Fn, highest: number, lowest: number): Frame | null {
    const frames = this.levels.list.slice(lowest, highest + 1).flatMap((level) => level.frames);
    return frames.findLast((frame) => isOf(frame, fn)) ?? null;
  }

  /** The function on top jumps to another one. */
  private jump(fn: Fn, how: 'jumped to' | 'HiddenJump'): void {
    const { top, topLevel } = this;
    const replaces = this.options.tailCalls === 'replace';
    if (top.fn.is(Trait.Stub)) {
      const { leadsTo } = top.fn;
      const isThere = replaces || !leadsTo || leadsTo.bareName === fn.bareName || fn.is(Trait.Stub | Trait.Resolver);
      this.rename(top, isThere ? fn : leadsTo);
      if (!isThere) this.jump(fn, how);
      return;
    }
    const earlier = topLevel.frames.findLast((frame) => frame.fn === fn);
    if (replaces || (top.fn.is(Trait.Resolver) && top.how !== 'called')) {
      this.close(topLevel.frames.pop() as Frame, 'jumped on');
      this.open(fn, how);
    } else if (topLevel.frames.length > LONGEST_CHAIN && earlier) this.closeAbove(earlier, 'jumped on');
    else this.open(fn, how);
  }

  private get topLevel(): Level {
    return this.levels.list.at(-1) as Level;
  }

  private get top(): Frame {
    return this.levels.list.findLast(({ frames }) => frames.length > 0)?.frames.at(-1) as Frame;
  }

  /** A frame on the level on top. */
  private open(fn: Fn, how: Opening): void {
    const path = [...(this.top?.path ?? []), fn.name];
    this.topLevel.frames.push({ fn, path, entryNs: this.nowNs, how, selfNs: 0, alsoKnownAs: [] });
    this.note('+', path, how);
  }

  private close(frame: Frame, how: Closing): void {
    if (frame.fn.leadsTo) this.rename(frame, frame.fn.leadsTo); // nothing came of the stub any more
    const why = [frame.how, how].find((reason): reason is InferenceName => reason in this.inferred);
    this.rowOf(frame.path).selfNs += frame.selfNs;
    this.count(frame.path, why ? 'inferred' : this.nowNs - frame.entryNs);
    if (why) this.inferred[why]++;
    this.note('-', frame.path, `${how} after ${this.nowNs - frame.entryNs} ns`);
  }

  private closeLevel({ frames }: Level, how: Closing): void {
    for (let frame = frames.pop(); frame; frame = frames.pop()) this.close(frame, how);
  }

  private closeAbove(frame: Frame | null, how: Closing): void {
    const { list } = this.levels;
    while (list.length > 0 && this.top !== frame) {
      this.close(this.topLevel.frames.pop() as Frame, how);
      if (this.topLevel.frames.length === 0) list.pop();
    }
  }

  /** A stub turns out to be what it leads to. */
  private rename(frame: Frame, fn: Fn): void {
    frame.fn = fn;
    frame.path = frame.path.with(-1, fn.name);
    if (frame.how === 'called') frame.how = 'jumped to';
    this.note('~', frame.path, 'stub');
  }

  private alsoKnownAs(fn: Fn): void {
    if (isOf(this.top, fn)) return;
    this.top.alsoKnownAs.push(fn);
    this.note('~', this.top.path, `also ${fn.name}`);
  }

  private chargeUntil(timeNs: number): void {
    const paused = this.offCpu ?? this.stop;
    const payer = paused ? this.rowOf(paused.path) : this.top;
    if (payer) payer.selfNs += timeNs - this.nowNs;
    this.nowNs = timeNs;
  }

  private beginStop(name: '[syscall]' | '[untraced]'): void {
    this.stop = this.pause(this.top.path, name);
    if (this.switchedOut) this.offCpu = this.pause(this.stop.path, this.switchedOut);
  }

  private takeSwitch({ timeNs, step }: PlainEvent): void {
    this.chargeUntil(timeNs);
    this.endOffCpu('complete');
    if (step === Step.SwitchIn) return;
    this.switchedOut = step === Step.SwitchOut ? '[off-cpu]' : '[preempted]';
    const under = this.stop ?? (this.facts.scope === 'user+kernel' ? this.top : null);
    if (under) this.offCpu = this.pause(under.path, this.switchedOut);
  }

  private pause(under: readonly string[], name: string): Pause {
    const path = [...under, name];
    this.note('+', path, 'pause');
    return { path, sinceNs: this.nowNs };
  }

  private endPause(how: 'complete' | 'inferred'): void {
    this.endOffCpu(how);
    if (this.stop) this.resume(this.stop, how);
    this.stop = null;
  }

  private endOffCpu(how: 'complete' | 'inferred'): void {
    if (this.offCpu) this.resume(this.offCpu, how);
    this.offCpu = null;
    this.switchedOut = null;
  }

  private resume({ path, sinceNs }: Pause, how: 'complete' | 'inferred'): void {
    this.count(path, how === 'complete' ? this.nowNs - sinceNs : how);
    this.note('-', path, `${how} after ${this.nowNs - sinceNs} ns`);
  }

  /** Closes all that is open. A thread that was stopped waited, whatever was lost meanwhile. */
  private crossGap(next: PlainEvent, broken: readonly PlainEvent[]): void {
    const errors = broken.filter(({ step }) => step === Step.Gap);
    const isWaiting = this.stop !== null;
    this.chargeUntil(isWaiting ? next.timeNs : (errors[0]?.timeNs ?? this.nowNs));
    this.endPause('complete');
    const lengthNs = next.timeNs - this.nowNs;
    this.lost.push({ atNs: this.nowNs, lengthNs, errors: errors.length });
    if (!isWaiting) {
      const path = [...this.top.path, '[lost]'];
      this.rowOf(path).selfNs += lengthNs;
      this.count(path, lengthNs);
      this.note('+', path, `${lengthNs} ns`);
    }
    this.closeAbove(null, 'CutByGap');
  }

  /** A thread whose first event is the way out of a stop was waiting since the recording began. */
  private extendBack(first: PlainEvent): number {
    const { extendTo, isCreatedInside } = this.options;
    if (!extendTo || isCreatedInside || first.step !== Step.Start || first.toFn.is(Trait.Birthplace))
      return first.timeNs;
    this.nowNs = extendTo.startNs;
    this.beginStop(this.facts.syscalls.has(first.to - SYSCALL_BYTES) ? '[syscall]' : '[untraced]');
    const gotCpu = this.events.slice(0, first.row).find((event) => isSwitch(event) || event.step === Step.Exec);
    if (gotCpu?.step === Step.SwitchIn && gotCpu.timeNs > this.nowNs) {
      this.offCpu = this.pause((this.stop as Pause | null)?.path ?? [], '[off-cpu]');
      this.chargeUntil(gotCpu.timeNs);
      this.endOffCpu('inferred');
    }
    this.chargeUntil(first.timeNs);
    this.endPause('inferred');
    return extendTo.startNs;
  }

  /** A thread that waits when the trace ends goes on waiting to the end of the recording. */
  private finish(): void {
    const { extendTo } = this.options;
    this.row = this.events.length;
    if ((this.stop || this.offCpu) && extendTo && extendTo.endNs > this.nowNs) this.chargeUntil(extendTo.endNs);
    this.endPause('inferred');
    this.closeAbove(null, 'OpenAtEnd');
  }

  private rowOf(path: readonly string[]): PlainRow {
    const key = path.join('\0');
    let row = this.rows.get(key);
    if (row === undefined) {
      row = { path, calls: 0, inferredCalls: 0, selfNs: 0, completeNs: 0, minNs: Infinity, maxNs: -Infinity };
      this.rows.set(key, row);
    }
    return row;
  }

  private count(path: readonly string[], durationNs: number | 'inferred'): void {
    const row = this.rowOf(path);
    row.calls++;
    if (durationNs === 'inferred') {
      row.inferredCalls++;
      return;
    }
    row.completeNs += durationNs;
    row.minNs = Math.min(row.minNs, durationNs);
    row.maxNs = Math.max(row.maxNs, durationNs);
  }

  /** Rows that something was counted or charged on, and those above them. */
  private usedRows(): PlainRow[] {
    const used = new Map<string, PlainRow>();
    for (const { path, calls, selfNs } of [...this.rows.values()])
      for (let length = path.length; (calls > 0 || selfNs > 0) && length > 0; length--) {
        const row = this.rowOf(path.slice(0, length));
        used.set(row.path.join('\0'), row);
      }
    return [...used].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
  }

  private note(sign: StackChange['sign'], path: readonly string[], why: string): void {
    this.changes.push({ row: this.row, sign, depth: path.length - 1, name: path.at(-1) ?? '', why });
  }
}

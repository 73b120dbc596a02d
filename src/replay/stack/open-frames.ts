/**
 * The stack of one thread while it is replayed, and what its frames add to the call tree.
 *
 * A level is what one call instruction put on the real stack: the function that was called, and above it those that
 * it jumped to (tail calls). A return removes whole levels.
 */
import { type CallLogBuilder, Certainty } from '../../model/call-log.js';
import { type CallTreeBuilder, ROOT } from '../../model/call-tree.js';
import { Inference, type InferenceName, noInferences, UNWOUND } from '../../model/quality.js';
import {
  type Address,
  type FunctionId,
  type Nanoseconds,
  NONE,
  type NodeId,
  type SymbolId,
} from '../../model/units.js';
import type { FunctionTable } from '../functions/function-table.js';
import { Trait } from '../functions/traits.js';
import { Doubts } from './doubts.js';
import { Frame, type FrameWatcher, type TailCalls } from './frame.js';
import { FrameIndex } from './frame-index.js';

/** Longer chains of tail calls are loops, as of an interpreter: they go back to the frame they came from. */
const LONGEST_TAIL_CHAIN = 64;
/** A function has fewer labels; of more only the last ones are known. */
const MOST_ALIASES = 16;

export class OpenFrames {
  readonly inferred: Record<InferenceName, number> = noInferences();
  /** How many frames are open. */
  depth = 0;
  /** The open frames, lowest first; those above them wait to be used again. */
  readonly stack: Frame[] = [];
  /** Time that is inferred only because of a jump that was not shown. */
  hiddenNs: Nanoseconds = 0;
  /** Places of levels that came back on the stack, by the row that called them. */
  private readonly attached = new Map<number, number>();
  /** Places of levels that nobody saw being called, by the row of the return that leaves them. */
  private readonly leaves = new Map<number, number>();
  readonly index: FrameIndex;
  private readonly doubts: Doubts;
  private readonly tree: CallTreeBuilder;
  private readonly functions: FunctionTable;
  private readonly tailCalls: TailCalls;
  private readonly watcher: FrameWatcher | null;
  private readonly log: CallLogBuilder | null;

  constructor(
    tree: CallTreeBuilder,
    log: CallLogBuilder | null,
    functions: FunctionTable,
    tailCalls: TailCalls,
    watcher: FrameWatcher | null,
  ) {
    this.watcher = watcher;
    this.log = log;
    this.tree = tree;
    this.functions = functions;
    this.index = new FrameIndex(this.stack, functions.length);
    this.doubts = new Doubts(this.stack, log);
    this.tailCalls = tailCalls;
  }

  get top(): Frame {
    return this.stack[this.depth - 1] as Frame;
  }

  at(place: number): Frame {
    return this.stack[place] as Frame;
  }

  /** The node that time goes to. */
  get topNode(): NodeId {
    return this.depth === 0 ? ROOT : this.top.node;
  }

  /** The node that a stop stands under: of a stub it is known where it leads, though it is not there yet. */
  get stopNode(): NodeId {
    const target = this.depth === 0 ? NONE : this.functions.stubTarget[this.top.fn];
    if (target === NONE) return this.topNode;
    const below = this.depth === 1 ? ROOT : this.at(this.depth - 2).node;
    return this.tree.child(below, this.functions.symbol[target]);
  }

  /** The place of all that is open is certain. */
  get isSure(): boolean {
    return this.doubts.certainty === Certainty.Sure;
  }

  charge(ns: Nanoseconds): void {
    if (this.depth > 0 && this.traitsOfTop() & Trait.Stub) this.top.heldNs += ns;
    else this.chargeTo(this.topNode, ns);
  }

  /** Time of a node that stands on what is open. */
  chargeTo(node: NodeId, ns: Nanoseconds): void {
    const { certainty } = this.doubts;
    this.tree.charge(node, ns, certainty !== Certainty.Sure);
    if (certainty === Certainty.Hidden) this.hiddenNs += ns;
  }

  /** No address confirmed what is open now. */
  guessAll(): void {
    this.doubts.guessAll(this.depth);
  }

  /** No address tells whether control went to the frame at a place. */
  doubt(place: number): void {
    this.doubts.doubt(this.at(place));
  }

  /** Somewhere in the time that is charged next control moves unseen; or: it has moved. */
  setMoving(isMoving: boolean): void {
    this.doubts.setMoving(isMoving);
  }

  /** Nothing proves that what is open, and no guess yet, was there behind this time. */
  unsureFrom(ns: Nanoseconds): void {
    this.doubts.unsureFrom(ns, this.depth);
  }

  /** The function on top is seen at this time. */
  sawTop(ns: Nanoseconds): void {
    this.top.knownFromNs = Math.min(this.top.knownFromNs, ns);
  }

  /** What is charged from here on, is that certain? */
  logDoubt(): void {
    this.doubts.tell();
  }

  /** A level seen being called, by the event in `row`. `inference`: NONE if it begins now. */
  pushCall(fn: FunctionId, row: number, nowNs: Nanoseconds, inference: number = NONE): void {
    this.push(fn, nowNs, this.depth, row, NONE, inference);
    this.top.isCalled = true;
  }

  /** A level that was found running, in the row where its stack was first seen, or NONE: when the segment began. */
  pushOpen(fn: FunctionId, nowNs: Nanoseconds, why: number, row: number = NONE): void {
    this.push(fn, nowNs, this.depth, NONE, NONE, why);
    this.top.order = Math.max(this.top.order, row);
  }

  /** The return in `row`, to this address, leaves the level at a place; unless a lower level was said to: that together with it. */
  setLeave(place: number, row: number, returnsTo: Address): void {
    const frame = this.at(place);
    frame.leave = row;
    if (this.leaves.has(row)) return;
    frame.returnsTo = returnsTo;
    this.leaves.set(row, place);
  }

  /** The place of the level that the return in `row` leaves, or NONE. */
  placeOfLeave(row: number): number {
    return this.leaves.get(row) ?? NONE;
  }

  /** Something was lost: which returns leave what, is found anew. */
  forgetLeaves(): void {
    for (const [row, lowest] of this.leaves)
      for (let place = lowest; place < this.depth && this.at(place).leave === row; place++) this.at(place).leave = NONE;
    this.leaves.clear();
  }

  /** The places of the uppermost levels, at most so many, lowest first. */
  levels(most: number): number[] {
    const places: number[] = [];
    for (let place = this.depth - 1; place >= 0 && places.length < most; place = this.at(place).level - 1)
      places.push(this.at(place).level);
    return places.reverse();
  }

  /** What was open when something was lost stays as a guess: whatever comes, its calls are inferred. */
  doubtAll(): void {
    this.doubts.doubtAll(this.depth);
  }

  /** The function on top jumps to another one. `inference`: NONE if the jump was seen. */
  jump(fn: FunctionId, nowNs: Nanoseconds, inference: number): void {
    const { top } = this;
    const traits = this.traitsOfTop();
    const nests = this.tailCalls === 'nest';
    if (traits & Trait.Stub) this.leaveStub(fn, nowNs, inference);
    else if (!nests || (traits & Trait.Resolver && !top.isCalled)) this.replaceTop(fn, nowNs, inference);
    else if (this.depth - top.level > LONGEST_TAIL_CHAIN && this.findBelow(fn, this.depth, top.level) !== NONE)
      this.closeAbove(this.findBelow(fn, this.depth, top.level), nowNs, NONE);
    else this.push(fn, nowNs, top.level, top.callRow, top.leave, inference);
  }

  /** Code under another label is seen to belong to the function on top. */
  addAlias(fn: FunctionId): void {
    const { top } = this;
    if (!top.aliases?.includes(fn)) top.aliases = [fn, ...(top.aliases ?? [])].slice(0, MOST_ALIASES);
  }

  /** The nearest frame of a function below a place, but not below `lowest`; or NONE. */
  findBelow(fn: FunctionId, below: number, lowest: number): number {
    return this.index.findBelow(fn, this.depth, below, lowest);
  }

  /** The place of the level that the event in `row` called. */
  placeOfCall(row: number): number {
    if (this.depth > 0 && this.at(this.top.level).callRow === row) return this.top.level;
    const attached = this.attached.size === 0 ? undefined : this.attached.get(row);
    if (attached !== undefined) return attached;
    const place = this.placeBefore(row) + 1;
    return place < this.depth && this.at(place).callRow === row ? place : NONE;
  }

  /** The place of the top frame as it was before the event in `row`, or NONE. */
  placeBefore(row: number): number {
    let low = 0;
    let high = this.depth;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.at(middle).order < row) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }

  /** A return removes the level at `place`; levels above it were skipped, and ended as `skipped` says. */
  returnFrom(place: number, nowNs: Nanoseconds, skipped: number): void {
    if (place === NONE) return;
    while (this.depth > place) this.closeTop(nowNs, this.top.level === place ? NONE : skipped);
  }

  /** Everything above a place goes, for a reason other than its own return. */
  closeAbove(place: number, nowNs: Nanoseconds, reason: number): void {
    while (this.depth > place + 1) this.closeTop(nowNs, reason);
  }

  /** The first place behind the level that begins at `place`. */
  endOfLevel(place: number): number {
    let end = this.depth;
    while (this.at(end - 1).level > place) end = this.at(end - 1).level;
    return end;
  }

  /** The functions on the stack, lowest first; not more than so many. */
  symbols(most: number): SymbolId[] {
    const open = this.stack.slice(0, Math.min(most, this.depth));
    return open.map((frame) => this.symbolOf(frame));
  }

  traitsOfTop(): number {
    return this.functions.traits[this.top.fn];
  }

  /** Opens a frame; of a level that was called by the event in `callRow`, or that the return in `leave` leaves. */
  private push(
    fn: FunctionId,
    entryNs: Nanoseconds,
    level: number,
    callRow: number,
    leave: number,
    inference: number,
  ): void {
    const node = this.tree.child(this.topNode, this.functions.symbol[fn]);
    const order = this.depth === 0 ? NONE : this.top.order;
    const frame = this.spare;
    frame.open(fn, node, entryNs, level, callRow);
    frame.inference = inference;
    frame.isHidden = false;
    if (inference === Inference.HiddenJump) frame.knownFromNs = Number.POSITIVE_INFINITY;
    frame.isLevel = level === this.depth;
    frame.order = Math.max(callRow, order);
    frame.leave = leave;
    frame.isCalled = false;
    this.depth++;
    if (this.log) frame.logRow = this.log.open(node);
    this.doubts.opened(frame);
    if (leave !== NONE && frame.isLevel && !this.leaves.has(leave)) this.leaves.set(leave, level);
    this.watcher?.opened(this.functions.symbol[fn], this.depth, inference);
  }

  /** The frame that opens next. */
  private get spare(): Frame {
    if (this.depth === this.stack.length) this.stack.push(new Frame());
    return this.stack[this.depth] as Frame;
  }

  /** Some level came back on the stack. */
  get hasAttached(): boolean {
    return this.attached.size > 0;
  }

  private symbolOf({ fn }: Frame): SymbolId {
    return this.functions.symbol[fn];
  }

  private pop(): Frame {
    const frame = this.top;
    if (frame.heldNs > 0) this.chargeTo(frame.node, frame.heldNs);
    frame.heldNs = 0;
    this.index.forget(frame, this.depth - 1);
    this.depth--;
    this.doubts.left(frame, this.depth);
    if (frame.isLevel) this.forgetLevel(frame);
    return frame;
  }

  private forgetLevel({ callRow, leave }: Frame): void {
    if (callRow !== NONE && this.attached.size > 0) this.attached.delete(callRow);
    if (leave !== NONE && this.leaves.get(leave) === this.depth) this.leaves.delete(leave);
  }

  /** Takes the frames from a place upwards off the stack, lowest first: their calls go on elsewhere. */
  detach(place: number): Frame[] {
    const frames: Frame[] = [];
    while (this.depth > place) {
      this.watcher?.setAside(this.symbolOf(this.top), this.depth);
      frames.push(Object.assign(new Frame(), this.pop()));
      this.log?.setAside();
      this.logDoubt();
    }
    return frames.reverse();
  }

  /**
   * Puts detached frames on the stack again, because of the event in `row`. Those that were jumped to on another
   * level's top are on the level that is on top now.
   */
  attach(frames: readonly Frame[], row: number): void {
    for (const frame of frames) {
      const level = frame.isLevel || this.depth === 0 ? this.depth : this.top.level;
      const node = this.tree.child(this.topNode, this.functions.symbol[frame.fn]);
      Object.assign(this.spare, frame, { node, level, order: row });
      this.depth++;
      this.watcher?.putBack(this.symbolOf(frame), this.depth);
      this.log?.putBack(frame.logRow, node);
      this.doubts.opened(frame);
      if (!frame.isLevel) continue;
      if (frame.callRow !== NONE) this.attached.set(frame.callRow, this.depth - 1);
      if (frame.leave !== NONE && !this.leaves.has(frame.leave)) this.leaves.set(frame.leave, this.depth - 1);
    }
  }

  /** `reason`: why the end was not seen, UNWOUND or NONE. */
  private closeTop(nowNs: Nanoseconds, reason: number): void {
    const target = this.functions.stubTarget[this.top.fn];
    if (target !== NONE) this.renameTop(target); // a stub of which nothing came any more
    const frame = this.pop();
    this.log?.close(endingOf(frame, reason));
    this.count(frame, nowNs, reason);
    this.logDoubt();
  }

  /** A frame that was set aside is over. */
  endAside(frame: Frame, nowNs: Nanoseconds, reason: number): void {
    this.log?.endAside(frame.logRow, endingOf(frame, reason));
    this.count(frame, nowNs, reason);
  }

  /** A frame is over. */
  private count(frame: Frame, nowNs: Nanoseconds, reason: number): void {
    const ending = endingOf(frame, reason);
    this.watcher?.closed(this.functions.symbol[frame.fn], this.depth + 1, ending);
    if (ending === NONE) this.tree.countComplete(frame.node, nowNs - frame.entryNs);
    else if (ending === UNWOUND) this.tree.countUnwound(frame.node, nowNs - frame.entryNs);
    else this.countInferred(frame, nowNs, ending, reason);
  }

  private countInferred(frame: Frame, nowNs: Nanoseconds, inference: number, reason: number): void {
    const knownNs = knownTime(frame, nowNs, reason);
    this.tree.countInferred(frame.node, knownNs);
    if (knownNs !== nowNs - frame.entryNs || nowNs !== this.log?.nowNs) this.log?.known(knownNs);
    this.inferred[INFERENCE_NAMES[inference] as InferenceName]++;
  }

  /** What a stack walk would show: the new function stands where the old one stood. */
  replaceTop(fn: FunctionId, nowNs: Nanoseconds, inference: number): void {
    const { level, callRow, leave, returnsTo, isHidden } = this.top;
    this.closeTop(nowNs, inference); // nobody saw it end if the jump was not shown
    this.push(fn, nowNs, level, callRow, leave, inference);
    this.top.returnsTo = returnsTo;
    if (isHidden) this.doubt(this.depth - 1);
  }

  /** A stub is renamed to where it leads. "foo@plt" leads to foo, even if foo has jumped on to `fn` by now. */
  private leaveStub(fn: FunctionId, nowNs: Nanoseconds, inference: number): void {
    const { stubTarget, bareName, traits } = this.functions;
    const target = stubTarget[this.top.fn];
    const isThere = target === NONE || bareName[target] === bareName[fn];
    const leadsOn = traits[fn] & (Trait.Stub | Trait.Resolver);
    if (this.tailCalls === 'replace' || isThere || leadsOn) return this.renameTop(fn);
    this.renameTop(target);
    this.jump(fn, nowNs, inference);
  }

  private renameTop(fn: FunctionId): void {
    const { top } = this;
    const { symbol } = this.functions;
    this.watcher?.renamed(symbol[top.fn], symbol[fn], this.depth);
    this.index.forget(top, this.depth - 1);
    const parent = this.depth === 1 ? ROOT : this.at(this.depth - 2).node;
    top.fn = fn;
    top.isCalled = false;
    top.node = this.tree.child(parent, this.functions.symbol[fn]);
    this.log?.rename(top.logRow, top.node);
    if (!(this.traitsOfTop() & Trait.Stub)) {
      this.chargeTo(top.node, top.heldNs);
      top.heldNs = 0;
    }
  }
}

/** Why a call was not seen from start to end; else UNWOUND or NONE. `reason`: how it ended. */
function endingOf({ inference }: Frame, reason: number): number {
  return inference === NONE ? reason : inference;
}

/** How long a call that was not seen whole was surely there. */
function knownTime({ inference, knownFromNs, knownUntilNs }: Frame, nowNs: Nanoseconds, reason: number): Nanoseconds {
  if (inference === Inference.Unwound || reason === Inference.Unwound) return 0;
  return Math.max(0, Math.min(nowNs, knownUntilNs) - knownFromNs);
}

const INFERENCE_NAMES = Object.keys(Inference) as InferenceName[];

/**
 * The stack that a segment begins with: what the old stack still holds, and on it, or below it, what the segment's
 * leaving returns reveal.
 */
import { Inference } from '../../model/quality.js';
import type { ThreadEvents } from '../../model/thread-events.js';
import { type FunctionId, type Nanoseconds, NONE, type SymbolId } from '../../model/units.js';
import type { SiteFacts } from '../functions/site-facts.js';
import { type Alignment, align, FARTHEST, type Level, type Restart } from '../pairing/align.js';
import { callIpOf } from '../pairing/look-across.js';
import type { Pairing } from '../pairing/pairing.js';
import type { Frame } from '../stack/frame.js';
import type { OpenFrames } from '../stack/open-frames.js';
import { UnwinderSteps } from '../stack/unwinder-steps.js';
import { type Contexts, DEEPEST_PLACE, type Place } from './contexts.js';
import { type LeftCaller, leftCallers } from './left-callers.js';

/** Times of a restart: when the old frames were lost, and when the thread is seen again. */
export interface Crossing {
  readonly lostNs: Nanoseconds;
  readonly nextNs: Nanoseconds;
}

/** Why a level's start was not seen, or NONE; levels are counted from the top. */
type Why = (level: number) => number;
const atStart: Why = () => Inference.OpenAtStart;
const cutByGap: Why = () => Inference.CutByGap;

export class FirstStack {
  private readonly frames: OpenFrames;
  private readonly events: ThreadEvents;
  private readonly facts: SiteFacts;
  private readonly pairing: Pairing;
  private readonly steps: UnwinderSteps;

  /** From this place on stands what nothing spoke for; or NONE. */
  private baseless: number = NONE;
  private readonly contexts: Contexts | null;
  private readonly onDoubt: () => void;

  /** `onDoubt` is called when no address confirms a restart. */
  constructor(
    frames: OpenFrames,
    events: ThreadEvents,
    facts: SiteFacts,
    pairing: Pairing,
    contexts: Contexts | null,
    onDoubt: () => void,
  ) {
    this.pairing = pairing;
    this.contexts = contexts;
    this.onDoubt = onDoubt;
    this.frames = frames;
    this.events = events;
    this.facts = facts;
    this.steps = new UnwinderSteps(events, facts, pairing);
  }

  /** The stack of a thread's first segment. */
  begin(restart: Restart, nowNs: Nanoseconds): void {
    const { frames, facts, contexts } = this;
    if (contexts) {
      for (const caller of contexts.callersBelow(this.chainOf(restart)))
        frames.pushOpen(facts.functions.ofSymbol[caller], nowNs, Inference.OpenAtStart);
      frames.unsureFrom(nowNs);
      frames.guessAll();
    }
    this.layNew(restart, restart.leaving.length + 1, nowNs, atStart);
  }

  /** Another stack of the same thread, first seen in `row`: it stands on what is open. `isEntry`: its top begins now. */
  beginOther(restart: Restart, row: number, nowNs: Nanoseconds, isEntry: boolean): void {
    const why = (level: number) => (isEntry && level === 0 ? NONE : Inference.OpenAtStart);
    this.layNew(restart, restart.leaving.length + 1, nowNs, why, row);
  }

  /** The stack behind a loss. What nothing spoke for behind the last one goes, if again nothing does. */
  restart(restart: Restart, crossing: Crossing): void {
    const { frames } = this;
    frames.doubtAll();
    frames.forgetLeaves();
    let old = this.alignOld(restart);
    if (old.found === null && this.dropBaseless(crossing)) old = this.alignOld(restart);
    const { places, found } = old;
    if (found !== null && found.confirmed > 0) this.continueOn(found, places, restart, crossing);
    else this.guess(found, places, restart, crossing);
  }

  /** The old stack's upper levels, and where the restart fits on them. */
  private alignOld(restart: Restart): { places: readonly number[]; found: Alignment | null } {
    const places = this.frames.levels(FARTHEST);
    const levels = places.map((place, at) => this.levelAt(place, places[at + 1] ?? this.frames.depth));
    return { places, found: align(levels, restart) };
  }

  /** False if there is nothing to drop. */
  private dropBaseless({ lostNs }: Crossing): boolean {
    if (this.baseless === NONE) return false;
    this.close(this.baseless - 1, lostNs);
    return true;
  }

  /** Closes all above a place, because of a gap. */
  private close(place: number, lostNs: Nanoseconds): void {
    this.frames.closeAbove(place, lostNs, Inference.CutByGap);
    if (this.frames.depth <= this.baseless) this.baseless = NONE;
  }

  private guess(found: Alignment | null, places: readonly number[], restart: Restart, crossing: Crossing): void {
    this.onDoubt();
    this.frames.unsureFrom(crossing.lostNs);
    const place = this.placeByContext(restart, found);
    if (place) this.layOnPath(place, restart, crossing);
    else if (found) this.continueOn(found, places, restart, crossing);
    else this.layBaseless(restart, crossing);
    this.frames.guessAll();
  }

  private layBaseless(restart: Restart, { nextNs }: Crossing): void {
    this.baseless = this.frames.depth;
    this.layNew(restart, restart.leaving.length + 1, nextNs, cutByGap);
  }

  /** The old levels up to one of them stay, new ones stand on it. */
  private continueOn(
    found: Alignment,
    places: readonly number[],
    restart: Restart,
    { lostNs, nextNs }: Crossing,
  ): void {
    this.cutTo(places[found.oldLevel] as number, this.functionAt(restart, found.newLevels), lostNs, nextNs);
    this.confirmOld(restart, found, places);
    this.layNew(restart, found.newLevels, nextNs, cutByGap);
  }

  /** No address says where the thread is: the place where such a chain of functions was seen, unless a name of the old stack says more. */
  private placeByContext(restart: Restart, found: Alignment | null): Place | null {
    const place = this.contexts?.placeOf(this.chainOf(restart), this.frames.symbols(DEEPEST_PLACE)) ?? null;
    const isFarFetched = place !== null && place.seen === 0 && place.shared < place.path.length && found !== null;
    return isFarFetched ? null : place;
  }

  /** What runs and the callers it returns to, lowest first. */
  private chainOf(restart: Restart): SymbolId[] {
    const { symbol } = this.facts.functions;
    const chain: SymbolId[] = [];
    for (let level = restart.leaving.length; level >= 0; level--) chain.push(symbol[this.functionAt(restart, level)]);
    return chain;
  }

  private layOnPath({ path, shared }: Place, restart: Restart, { lostNs, nextNs }: Crossing): void {
    const { frames, facts } = this;
    this.close(shared - 1, lostNs);
    for (const symbol of path.slice(shared))
      frames.pushOpen(facts.functions.ofSymbol[symbol], nextNs, Inference.CutByGap);
    frames.unsureFrom(lostNs);
    this.layNew(restart, restart.leaving.length, nextNs, cutByGap);
  }

  /** Lays down the new levels, lowest first: `count` of them at most, and one more for what runs. */
  private layNew(restart: Restart, count: number, nowNs: Nanoseconds, why: Why, row = NONE): void {
    const { frames } = this;
    const { leaving } = restart;
    for (let level = Math.min(count - 1, leaving.length); level >= 0; level--) {
      const exit = leaving[level];
      const landings = this.landingsOn(restart, level);
      const functions = [this.functionAt(restart, level), ...landings.map(({ fn }) => fn)];
      for (let place = landings.length; place >= 0; place--) {
        frames.pushOpen(functions[place] as FunctionId, nowNs, why(level), row);
        if (exit) frames.setLeave(frames.depth - 1, exit.row, exit.to);
        if (landings[place]?.isBelowUnseen) frames.doubt(frames.depth - 1);
      }
    }
  }

  /** Callers below the n-th level that exceptions landed in, the uppermost first: they are left together. */
  private landingsOn(restart: Restart, level: number): LeftCaller[] {
    const exit = restart.leaving[level];
    const callRows = (exit ? this.pairing.leftCalls.get(exit.row) : restart.openRows) ?? [];
    const last = exit ? this.facts.fromFunction[this.events.site[exit.row]] : restart.last;
    const lastRow = exit?.row ?? restart.endRow;
    const left = { first: this.functionAt(restart, level), callRows, last, lastRow };
    return leftCallers(left, this.events, this.facts, this.steps);
  }

  /** The function of the n-th level from the top: what runs, or where a return goes to. */
  private functionAt({ leaving, first }: Restart, level: number): FunctionId {
    const fn = level === 0 ? first : (leaving[level - 1]?.fn ?? NONE);
    return fn === NONE ? this.facts.functions.nameless : fn;
  }

  /** Closes all above a level; if the function that goes on is not part of it, the level has jumped there. */
  private cutTo(level: number, fn: FunctionId, lostNs: Nanoseconds, nextNs: Nanoseconds): void {
    const { frames } = this;
    const end = frames.endOfLevel(level);
    const lowest = Math.max(level, end - FARTHEST);
    let place = end - 1;
    while (place >= lowest && frames.at(place).fn !== fn) place--;
    this.close(place >= lowest ? place : end - 1, lostNs);
    if (place < lowest) frames.jump(fn, nextNs, Inference.CutByGap);
  }

  /** Which returns leave the old levels, downwards from the one that goes on, also below those that were compared. */
  private confirmOld({ leaving }: Restart, { newLevels, oldLevel }: Alignment, places: readonly number[]): void {
    const { frames } = this;
    let place = places[oldLevel] as number;
    for (const exit of leaving.slice(newLevels)) {
      if (place === NONE) break;
      frames.setLeave(place, exit.row, exit.to);
      place = place === 0 ? NONE : frames.at(place - 1).level;
    }
  }

  /** `end`: where the next level begins. Of what jumped on and on only the last functions are compared, as with levels. */
  private levelAt(place: number, end: number): Level {
    const { frames } = this;
    const frame = frames.at(place);
    const functions: FunctionId[] = [];
    for (let at = Math.max(place, end - FARTHEST); at < end; at++) functions.push(frames.at(at).fn);
    return { returnsTo: frame.returnsTo, callIp: this.callIp(frame), functions };
  }

  private callIp({ callRow }: Frame): number {
    return callRow === NONE ? Number.NaN : callIpOf(callRow, this.events, this.facts);
  }
}

/**
 * The rules of the reference replay for a thread with several stacks: which one goes on when a function that switches
 * stacks is left. Which functions do so is known: by name, or because the fast replay has learned it.
 *
 * 1. The function goes to where a parked stack waits at its last call: that stack goes on.
 * 2. Else to where a call further down returns: it goes on there, and the calls above are over.
 * 3. Else to the start of a function: a stack begins; unless the next return shows that the function runs on top of a
 *    stack, or it throws an exception that lands in one.
 * 4. Else to a stack that was not seen before.
 *
 * Of several stacks, the one whose calls the next returns end goes on; of those left, the one that was parked first, and
 * what is on it is marked until a return tells it from the others.
 */
import { Step } from '../../../src/replay/functions/site-facts.js';
import { Trait } from '../../../src/replay/functions/traits.js';
import type { Fn, ReferenceEvent } from './reference-events.js';
import {
  endsAt,
  type HiddenSwitch,
  type Level,
  MAX_NEAR,
  type Meaning,
  newStack,
  type OpenStacks,
  type Parked,
  type Resumed,
  SIGNAL_END,
  type Stack,
} from './reference-stacks.js';

/** A stack that may go on: a parked one, or the one that runs. */
type Candidate = Parked | 'own';

/** More returns are not compared. */
const MAX_RETURNS = 12;
/** Of a parked stack, as many calls may be over if it goes on further down. */
const MAX_ABOVE = 15;
/** An exception that is thrown on top of a stack leaves less calls, where no steps of the unwinder are seen. */
const MAX_UNWOUND = 6;
/** An event at most this far behind a call shows that its function goes on there. */
const NEAR_BYTES = 64;

/** True if the event leaves a function that switches stacks, not in a stub on the way to it. */
export function leavesStack({ fromFn, toFn, step }: ReferenceEvent): boolean {
  if (!fromFn?.is(Trait.StackSwitcher) || fromFn.is(Trait.Stub)) return false;
  return step !== Step.Jump || !toFn.is(Trait.StackSwitcher);
}

/** The return or jump with which a function that switches stacks goes on. */
export function switchBy(stacks: OpenStacks, event: ReferenceEvent): Meaning {
  const { calls, parked } = stacks;
  const { row, to, toEntry } = event;
  stacks.switching = null;
  const next = nextReturns(stacks, row + 1);
  if (toEntry) return beginStack(stacks, event, next[0]);
  const waiting: Candidate[] = parked.filter((stack) => endsAt(fromTop(stack.calls, 0) as Level, to));
  const top = calls.at(-1);
  if (top && endsAt(top, to)) waiting.push('own');
  const { chosen, alike } = choose(stacks, waiting, next);
  if (chosen === 'own') return goOnHere(stacks, event, alike);
  if (chosen) return resumedBy(resume(stacks, chosen, row, { alike }));
  const held = holding(parked, to);
  if (held) return resumedBy(resume(stacks, held.stack, row, { above: held.above }));
  const index = stacks.callerFor(to, true);
  return index === -1 ? goToNew(stacks) : stacks.end(event, index);
}

/** A return of another function that ends the call that left a parked stack. */
export function goesOn(stacks: OpenStacks, event: ReferenceEvent): Meaning | null {
  if (event.toEntry) return null;
  const waiting = stacks.parked.filter(({ calls }) => endsAt(fromTop(calls, 0) as Level, event.to));
  const { chosen } = choose(stacks, waiting, nextReturns(stacks, event.row + 1));
  if (!chosen || chosen === 'own') return null;
  const left = fromTop(chosen.calls, 0) as Level;
  const leftRow = stacks.leftRowOf(event, left);
  if (leftRow === null) return { ...resumedBy(resume(stacks, chosen, event.row, { alike: 1 })), isDoubtful: true };
  stacks.switchBefore(leftRow, {
    is: 'resumed',
    resumed: resume(stacks, chosen, leftRow, { isJump: true, alike: 1 }),
  });
  return stacks.end(event, stacks.calls.length - 1);
}

/** To the start of a function. `first`: where it returns next. */
function beginStack(stacks: OpenStacks, event: ReferenceEvent, first: number | undefined): Meaning {
  const { calls, parked } = stacks;
  const top = calls.at(-1);
  if (first !== undefined && top && endsAt(top, first))
    return { is: event.step === Step.Jump ? 'jump' : 'jump by return' };
  const below = parked.find((stack) => first !== undefined && endsAt(fromTop(stack.calls, 0) as Level, first));
  if (below) return resumedBy(resume(stacks, below, event.row, { isJump: true }));
  const { on, alike, isThrown } = stackOfException(stacks, event.row + 1, event.toFn);
  if (on) return resumedBy(resume(stacks, on, event.row, { isJump: true, alike }));
  return goToNew(stacks, { isGuess: isThrown, isWhole: !isThrown });
}

/** Hardly any function that switches stacks goes on with its own: another thread may have left one at the same call. */
function goOnHere(stacks: OpenStacks, event: ReferenceEvent, alike: number): Meaning {
  const resumed = ownResumed(stacks, alike);
  stacks.end(event, stacks.calls.length - 1);
  return resumedBy(resumed);
}

const resumedBy = (resumed: Resumed): Meaning => ({ is: 'resumed', resumed });

function ownResumed({ calls }: OpenStacks, alike: number): Resumed {
  const call = calls.at(-1) as Level;
  const unsure = lowestUnsure(calls, alike, calls);
  return { left: call, call, isJump: false, isGuess: true, unsure, waitsAt: null };
}

interface HowResumed {
  /** So many of its uppermost calls are on another stack that might go on, too; 0: there is none. */
  readonly alike?: number;
  /** Number of calls above the one that is over. */
  readonly above?: number;
  readonly isJump?: boolean;
  readonly waitsAt?: Level | null;
  /** An event shows it. */
  readonly isSeen?: boolean;
}

const BY_ITSELF = { by: 'itself', skipped: [] } as const;

/** Makes a parked stack the running one. */
function resume(
  stacks: OpenStacks,
  parked: Parked,
  row: number,
  { alike = 0, above = 0, isJump = false, waitsAt = null, isSeen = true }: HowResumed,
): Resumed {
  const isGuess = alike > 0 || wasLost(stacks, parked);
  stacks.parked = stacks.parked.filter((other) => other !== parked);
  park(stacks);
  stacks.running = parked.stack;
  const left = fromTop(parked.calls, 0) as Level;
  const call = fromTop(parked.calls, above) as Level;
  const end = parked.calls.length - above;
  stacks.calls = parked.calls.slice(0, isJump ? end : end - 1);
  for (const level of parked.calls.slice(stacks.calls.length)) level.end = { ...BY_ITSELF, row, isSeen };
  stacks.reading.left.add(left);
  const unsure = isGuess ? lowestUnsure(parked.calls, alike, stacks.calls) : null;
  return { left, call, isJump, isGuess, unsure, waitsAt };
}

/** The lowest of the calls that others have, too; or the lowest one of a recursion, whose returns all look alike. */
function lowestUnsure(calls: readonly Level[], alike: number, left: readonly Level[]): Level {
  const uppermost = fromTop(calls, Math.max(0, alike - 1)) as Level;
  const repeated = left.find(
    ({ address }, index) => left.findLastIndex((other) => other.address === address) !== index,
  );
  return repeated && repeated.row < uppermost.row ? repeated : uppermost;
}

/** Without a call that left it, nothing could continue a stack. */
function park(stacks: OpenStacks): void {
  const { calls, running } = stacks;
  if (calls.length > 0) stacks.parked = [...stacks.parked, { stack: running, calls: [...calls] }];
}

function beginNew(stacks: OpenStacks, rest: Partial<Stack> = {}): Stack {
  park(stacks);
  stacks.calls = [];
  stacks.running = newStack(rest);
  return stacks.running;
}

function goToNew(stacks: OpenStacks, rest: Partial<Stack> = {}): Meaning {
  return { is: 'new stack', stack: beginNew(stacks, rest) };
}

const fromTop = (calls: readonly Level[], n: number): Level | undefined => calls[calls.length - 1 - n];

/** The stack that was parked first of those in which a return to an address ends a call further down. */
function holding(parked: readonly Parked[], to: number): { stack: Parked; above: number } | null {
  for (const stack of parked)
    for (let above = 1; above <= MAX_ABOVE; above++) {
      const call = fromTop(stack.calls, above);
      if (call && endsAt(call, to)) return { stack, above };
    }
  return null;
}

interface Choice {
  readonly chosen: Candidate | null;
  readonly alike: number;
  /** A function runs on top of the call that left the stack. */
  readonly isJump?: boolean;
  readonly above?: number;
}

/** After a loss, the next return must fit the stack that goes on, and one that was parked before is the last choice. */
function choose(stacks: OpenStacks, candidates: readonly Candidate[], next: readonly number[]): Choice {
  const callsOf = (one: Candidate) => (one === 'own' ? stacks.calls : one.calls);
  const fits = candidates.filter((one) => !stacks.hasLosses || endsNext(callsOf(one), next));
  const isLost = (one: Candidate) => one !== 'own' && wasLost(stacks, one);
  const inOrder = [...fits.filter((one) => !isLost(one)), ...fits.filter(isLost)];
  if (inOrder.length < 2) return { chosen: inOrder[0] ?? null, alike: 0 };
  const { index, alike } = chooseAlike(inOrder.map(callsOf), next);
  return { chosen: inOrder[index] as Candidate, alike };
}

/** The stack whose calls the next returns end, from the top downwards; the uppermost one is over. */
function chooseAlike(stacks: readonly (readonly Level[])[], next: readonly number[]): { index: number; alike: number } {
  let alike = [...stacks];
  for (const [n, to] of next.entries()) {
    if (alike.length === 1) break;
    const fits = alike.filter((calls) => endsAt(fromTop(calls, n + 1) ?? NO_CALL, to));
    if (fits.length === 0) break;
    alike = fits;
  }
  const [first, ...others] = alike as [readonly Level[], ...(readonly Level[])[]];
  return { index: stacks.indexOf(first), alike: Math.max(0, ...others.map((other) => sameCalls(first, other))) };
}

const NO_CALL = { begunBy: 'before the trace', address: Number.NaN } as const;

/** Number of uppermost calls that were made at the same addresses; 0: all of them. */
function sameCalls(a: readonly Level[], b: readonly Level[]): number {
  let same = 0;
  while (same < Math.min(a.length, b.length) && fromTop(a, same)?.address === fromTop(b, same)?.address) same++;
  return same === a.length && same === b.length ? 0 : Math.max(1, same);
}

/** True unless the next return contradicts that the call below the one that left the stack is the next to end. */
function endsNext(calls: readonly Level[], [to]: readonly number[]): boolean {
  const below = fromTop(calls, 1);
  return to === undefined || below === undefined || endsAt(below, to);
}

/** It was parked before a loss, and may have gone on since. */
function wasLost({ firstRow }: OpenStacks, { calls }: Parked): boolean {
  return (fromTop(calls, 0) as Level).row < firstRow;
}

/**
 * The targets of the next returns that end calls made before `row`, up to the next switch, loss, or return that skips
 * calls.
 */
function nextReturns({ events }: OpenStacks, row: number): number[] {
  const targets: number[] = [];
  const calls: Pick<Level, 'begunBy' | 'address'>[] = [];
  for (const { step, from, to, toEntry, ...event } of events.slice(row)) {
    if (targets.length === MAX_RETURNS || step === Step.Gap || switches(event)) break;
    if (step === Step.Call) calls.push({ begunBy: 'call', address: from });
    else if (step === Step.KernelEntry) calls.push({ begunBy: 'kernel entry', address: from });
    else if (step === Step.Start && toEntry) calls.push({ begunBy: 'signal', address: from });
    else if (step === Step.Return || step === Step.KernelExit) {
      const call = calls.pop();
      const end = toEntry ? SIGNAL_END : to;
      if (call && !endsAt(call, end)) break;
      if (!call && step === Step.Return) targets.push(end);
    }
  }
  return targets;
}

/** True if the thread switches stacks here, or calls a function that will. */
function switches({ callsSwitcher, fromFn }: Pick<ReferenceEvent, 'callsSwitcher' | 'fromFn'>): boolean {
  return callsSwitcher || fromFn?.is(Trait.StackSwitcher) === true;
}

// An exception that a function throws on top of a parked stack.

interface ExceptionStack {
  readonly on: Parked | null;
  readonly alike: number;
  /** There is an exception, wherever it lands. */
  readonly isThrown: boolean;
}

/** An unwinder that runs: for each call that it makes, what that one calls. */
interface Unwinder {
  readonly depth: number;
  readonly made: { readonly isOwn: boolean; readonly called: Fn[] }[];
}

/**
 * The parked stack in which an exception lands before the next switch: in the first function that runs after the
 * unwinder, as many frames down as that stepped. Where no steps are seen, in a function that was not called since.
 */
function stackOfException(stacks: OpenStacks, row: number, thrower: Fn): ExceptionStack {
  const onTheWay = Trait.Stub | Trait.Resolver | Trait.Unwinder | Trait.Unknown;
  const called = new Set<Fn>([thrower]);
  let unwinder = null as Unwinder | null;
  let isThrown = false;
  let depth = 0;
  for (const event of stacks.parked.length > 0 ? stacks.events.slice(row) : []) {
    const { fromFn, toFn, step, toEntry } = event;
    if (step === Step.Gap || switches(event)) break;
    const mayLand = fromFn !== null && !fromFn.is(onTheWay);
    if (unwinder?.depth === depth && mayLand) {
      const steps = stepsSeen(unwinder);
      const landing = steps === null ? null : unwinder.depth - 1 - steps;
      if (landing !== null && landing < 0) return { ...landedOn(stacks, event, fromFn, -1 - landing), isThrown };
      if (landing !== null) [isThrown, depth] = [false, landing];
      unwinder = null;
    }
    if (isThrown && unwinder === null && mayLand && !called.has(fromFn)) {
      const isOn = ({ calls }: Parked) => calls.slice(-MAX_UNWOUND).some(({ caller }) => isPartOf(caller, fromFn));
      const on = stacks.parked.find(isOn);
      if (on) return { on, isThrown, alike: 1 };
    }
    if (step === Step.Return) depth--;
    if (unwinder !== null && depth < unwinder.depth) unwinder = null;
    if (step === Step.Call || toEntry) called.add(toFn);
    if (toFn.is(Trait.Raiser)) isThrown = true;
    if (step !== Step.Call) continue;
    if (depth === unwinder?.depth) unwinder.made.push({ isOwn: fromFn?.is(Trait.Unwinder) === true, called: [] });
    else if (unwinder && depth === unwinder.depth + 1) unwinder.made.at(-1)?.called.push(toFn);
    depth++;
    if (toFn.is(Trait.Raiser) && (unwinder === null || unwinder.depth === depth - 1)) unwinder = { depth, made: [] };
  }
  return { on: null, alike: 0, isThrown };
}

/** As `stepsOf`: the first call reads one frame; the one that searches for the landing reads the others. */
function stepsSeen({ made }: Unwinder): number | null {
  const readers = made.filter(({ isOwn, called }) => isOwn && called.length > 0).map(({ called }) => called);
  const reader = readers[0]?.[0];
  const search = readers.slice(1).findLast(([fn]) => fn === reader);
  return search === undefined ? null : search.filter((fn) => fn === reader).length - 1;
}

/** The stack of which an exception has left `above` calls, as `fn` goes on with the event. */
function landedOn(
  stacks: OpenStacks,
  { row }: ReferenceEvent,
  fn: Fn,
  above: number,
): Omit<ExceptionStack, 'isThrown'> {
  const found = stacks.parked.filter(({ calls }) => isPartOf(fromTop(calls, above)?.caller ?? null, fn));
  if (found.length < 2) return { on: found[0] ?? null, alike: 0 };
  const left = found.map(({ calls }) => calls.slice(0, calls.length - above));
  const { index, alike } = chooseAlike(left, nextReturns(stacks, row));
  return { on: found[index] as Parked, alike: alike && alike + above };
}

const isPartOf = (part: Fn | null, fn: Fn) => part !== null && (part === fn || part.key === fn.key);

// Switches that no event shows: the function that switches stacks, or a longjmp, ends in a hidden jump.

/** Decides after a call that was made to switch stacks on which stack the next event is that comes from elsewhere. */
export function followSwitch(stacks: OpenStacks, event: ReferenceEvent): void {
  const { switching, calls } = stacks;
  const { row, fromFn } = event;
  if (switching === null) return;
  if (calls.at(-1) !== switching) {
    if (rowOfTop(stacks) < switching.row) stacks.switching = null; // it has returned, or what called it
    return;
  }
  if (fromFn === null || fromFn.is(Trait.Stub | Trait.Resolver | Trait.StackSwitcher)) return;
  stacks.switching = null;
  const next = nextReturns(stacks, row);
  if (next[0] !== undefined && endsAt(switching, next[0])) return; // it was jumped to, and returns instead
  const { chosen, alike, isJump = false, above = 0 } = chooseHidden(stacks, event, next);
  if (chosen === 'own') {
    setHidden(stacks, row, { is: 'resumed', resumed: ownResumed(stacks, alike) });
    switching.end = { ...BY_ITSELF, row, isSeen: false };
    stacks.calls = calls.slice(0, -1);
  } else if (chosen)
    setHidden(stacks, row, {
      is: 'resumed',
      resumed: resume(stacks, chosen, row, { above, isJump, alike, isSeen: false }),
    });
  else {
    const mayGoOn = stacks.hasLosses || isCalledSomewhere(stacks, fromFn);
    setHidden(stacks, row, { is: 'new stack', stack: beginNew(stacks, { isGuess: alike > 0 || mayGoOn }) });
  }
}

function setHidden({ reading }: OpenStacks, row: number, hidden: HiddenSwitch): void {
  reading.hidden.set(row, hidden);
}

const rowOfTop = ({ calls }: OpenStacks) => calls.at(-1)?.row ?? -1;

/** Some call leads to it, or it is a signal's handler: no stack need begin with it. */
function isCalledSomewhere({ sites }: OpenStacks, fn: Fn): boolean {
  return sites.some(
    ({ step, toFn, toEntry }) => toFn === fn && (step === Step.Call || (step === Step.Start && toEntry)),
  );
}

/** The stack on which the function of an event goes on that the thread has got to by a hidden jump. */
function chooseHidden(stacks: OpenStacks, { row, from, fromFn }: ReferenceEvent, next: readonly number[]): Choice {
  const { parked, calls } = stacks;
  const fn = fromFn as Fn;
  const callsOf = (one: Candidate) => (one === 'own' ? calls : one.calls);
  const callerOf = (one: Candidate) => fromTop(callsOf(one), 0)?.caller;
  const all: Candidate[] = [...parked, 'own'];
  const [to] = next;
  if (to !== undefined && !Number.isNaN(to)) {
    const fits = all.filter((one) => endsAt(fromTop(callsOf(one), 1) ?? NO_CALL, to));
    const inCaller = fits.filter((one) => callerOf(one) === fn);
    if (inCaller.length > 0) return choose(stacks, inCaller, next);
    const below = parked.find((stack) => endsAt(fromTop(stack.calls, 0) as Level, to));
    if (below) return { chosen: below, alike: 0, isJump: true };
    if (fits.length > 0) return choose(stacks, fits, next);
    const held = holding(parked, to);
    if (held) return { chosen: held.stack, alike: 0, above: held.above - 1 };
  }
  const fitting = all.filter((one) => callerOf(one) === fn && endsNext(callsOf(one), next));
  const near = fitting.filter((one) => {
    const { address } = fromTop(callsOf(one), 0) as Level;
    return address < from && from < address + NEAR_BYTES;
  });
  const choice = choose(stacks, near.length > 0 ? near : fitting, next);
  if (choice.chosen) return choice;
  const { on, isThrown, alike } = stackOfException(stacks, row, fn);
  return on ? { chosen: on, alike, isJump: true } : { chosen: null, alike: isThrown ? 1 : 0 };
}

/** Decides where a longjmp landed, if the event comes from another function. */
export function followLongJump(stacks: OpenStacks, event: ReferenceEvent): void {
  const { fromFn, row } = event;
  const top = stacks.calls.at(-1);
  if (stacks.jumping && rowOfTop(stacks) < stacks.jumping.row) stacks.jumping = null;
  const { jumping } = stacks;
  if (jumping === null || fromFn === null || fromFn.is(Trait.Stub | Trait.Resolver | Trait.Unwinder)) return;
  if (!top?.callee?.is(Trait.LongJump)) return; // called by the longjmp, on its way
  const next = nextReturns(stacks, row);
  if (next[0] !== undefined && endsAt(top, next[0])) return;
  const chosen = stackOfLongJump(stacks, fromFn, next);
  if (chosen === 'own') return;
  setHidden(
    stacks,
    row,
    chosen
      ? { is: 'resumed', resumed: resume(stacks, chosen, row, { waitsAt: jumping, isSeen: false }) }
      : { is: 'new stack', stack: beginNew(stacks, { waitsAt: jumping }) },
  );
}

/** The same for a jump that the trace shows. */
export function landLongJump(stacks: OpenStacks, { row, fromFn, toFn, toEntry }: ReferenceEvent): Meaning {
  const { jumping } = stacks;
  if (jumping === null || !fromFn?.is(Trait.LongJump) || fromFn.is(Trait.Stub)) return { is: 'jump' };
  if (toEntry || toFn.is(Trait.LongJump | Trait.Stub)) return { is: 'jump' };
  const chosen = stackOfLongJump(stacks, toFn, nextReturns(stacks, row + 1));
  if (chosen === 'own') return { is: 'jump' };
  return chosen ? resumedBy(resume(stacks, chosen, row, { waitsAt: jumping })) : goToNew(stacks, { waitsAt: jumping });
}

/**
 * The stack on which a longjmp landed in a function; null: one that was not seen before. Hardly any longjmp leaves its
 * own stack. What the longjmp called is over if it does.
 */
function stackOfLongJump(stacks: OpenStacks, fn: Fn, next: readonly number[]): Candidate | null {
  const { calls, parked, jumping } = stacks;
  const [to] = next;
  stacks.jumping = null;
  const isOf = ({ caller, callee }: Level) => caller === fn || callee === fn;
  const isOpen = calls.length > MAX_NEAR || calls.slice(-MAX_NEAR).some(isOf);
  if (to !== undefined ? stacks.callerFor(to, false) !== -1 : isOpen) return 'own';
  const callerOf = ({ calls: own }: Parked) => fromTop(own, 0)?.caller;
  const leftBy = parked.filter((stack) => callerOf(stack) === fn);
  const fits = leftBy.filter((stack) => to !== undefined && endsAt(fromTop(stack.calls, 1) ?? NO_CALL, to));
  const candidates = fits.length > 0 ? fits : isOpen || to !== undefined ? [] : leftBy;
  if (candidates.length === 0 && (isOpen || !isSetJumper(stacks, fn))) return 'own';
  stacks.calls = calls.slice(0, calls.indexOf(jumping as Level) + 1);
  for (const level of calls.slice(stacks.calls.length)) level.end = { ...BY_ITSELF, row: level.row, isSeen: false };
  return choose(stacks, candidates, next).chosen;
}

/** It notes a place for a longjmp somewhere. */
function isSetJumper({ sites }: OpenStacks, fn: Fn): boolean {
  return sites.some(({ step, fromFn, toFn }) => step === Step.Call && fromFn === fn && toFn.is(Trait.SetJump));
}

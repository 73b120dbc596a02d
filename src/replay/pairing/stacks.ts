/**
 * The stacks of a thread while returns are paired: the one that runs, and those that wait. Whatever an event does to
 * them is written into the pairing.
 */
import { type Address, type FunctionId, NONE } from '../../model/units.js';
import type { AlikeStacks } from './alike-stacks.js';
import { DEEPEST_SEARCH, type LeftStack, type OpenCall, OpenCalls, type OtherStack } from './open-calls.js';
import { MOST_LEFT_CALLS, Outcome, type Pairing } from './pairing.js';
import { DEEPEST_PARKED, ParkedStacks, type TakenBack } from './parked-stacks.js';

/** A call that has returned, and where it was. */
interface Returned {
  readonly call: OpenCall;
  readonly place: number;
}

/** Of calls, by their rows. */
interface SwitchingCalls {
  /** It was to go to another stack. */
  readonly isToSwitcher: (callRow: number) => boolean;
  /** The row of the first event there. */
  readonly behind: (callRow: number) => number;
}

export class Stacks {
  readonly open = new OpenCalls();
  /** Rows of the returns that leave what was running when the segment began. */
  readonly leavingRows: number[] = [];
  private readonly parked: ParkedStacks;
  private readonly returned: Returned[] = [];
  private readonly pairing: Pairing;
  private readonly functionCalledIn: (row: number) => FunctionId;
  private readonly isRaiser: (callRow: number) => boolean;
  private readonly remembersReturns: boolean;

  /**
   * `functionCalledIn`: the target of the call in a row. `isRaiser`: it passes an exception on. `remembersReturns`:
   * transactions may undo them.
   */
  constructor(
    pairing: Pairing,
    functionCalledIn: (row: number) => FunctionId,
    isRaiser: (callRow: number) => boolean,
    remembersReturns: boolean,
    alike: AlikeStacks,
  ) {
    this.isRaiser = isRaiser;
    this.parked = new ParkedStacks(alike);
    this.remembersReturns = remembersReturns;
    this.pairing = pairing;
    this.functionCalledIn = functionCalledIn;
  }

  /** The event in `row` ends the call at a place; those above it were left without a return. */
  pop(row: number, place: number): void {
    const { outcome, link } = this.pairing;
    const callRow = this.open.rowAt(place);
    outcome[row] = Outcome.Pop;
    link[row] = callRow;
    link[callRow] = row;
    if (!this.open.isTop(place)) this.leaveBehind(row, this.open.cutAbove(place));
    if (this.remembersReturns) this.remember({ call: this.open.at(place), place });
    this.open.pop();
  }

  private remember(returned: Returned): void {
    if (this.returned.push(returned) > 2 * DEEPEST_SEARCH) this.returned.splice(0, DEEPEST_SEARCH);
  }

  /** The return in `row` ends a call that was not shown, made by what the call at a place had called. */
  returnTo(row: number, place: number): void {
    const { outcome, link } = this.pairing;
    outcome[row] = Outcome.ReturnTo;
    link[row] = this.open.rowAt(place);
    this.leaveBehind(row, this.open.cutAbove(place));
  }

  /** The return in `row` goes to a caller that nobody saw calling. */
  leave(row: number): void {
    const base = this.open.findSwitch(({ stack }) => stack !== null);
    const leavingRows = base === NONE ? this.leavingRows : (this.open.switchAt(base).stack as OtherStack).leavingRows;
    leavingRows.push(row);
    this.pairing.outcome[row] = Outcome.Leave;
    const left = this.open.cutStack(base);
    const count = left.reduce((sum, { calls }) => sum + calls.length, 0);
    if (count > 0 && count <= MOST_LEFT_CALLS)
      this.pairing.leftCalls.set(
        row,
        left.flatMap(({ calls }) => calls.map((call) => call.row)),
      );
    this.leaveBehind(row, left);
  }

  /** The "return" in `row` only jumps; perhaps to another stack, if it is left without a return. */
  jump(row: number): void {
    this.pairing.outcome[row] = Outcome.JumpByReturn;
    this.open.switchStack({ row, stack: null });
  }

  /** Back to a stack that was left, if this address is on one. */
  switchBack(row: number, to: Address, isSure: boolean): boolean {
    return this.goBack(row, this.parked.takeBack(to, row, isSure));
  }

  /** The same if the running stack's last call may as well return to this address. */
  switchToAlike(row: number, to: Address): boolean {
    return this.goBack(
      row,
      this.parked.takeAlike(to, row, () => this.open.callsOfStack(DEEPEST_PARKED)),
    );
  }

  private goBack(row: number, back: TakenBack | null): boolean {
    if (back === null) return false;
    const { outcome, link, switches } = this.pairing;
    this.replace(row);
    outcome[row] = Outcome.StackSwitch;
    link[row] = switches.push(back.change) - 1;
    this.open.switchStack({ row, stack: back.stack });
    for (const call of back.calls) link[call.row] = NONE;
    this.open.pushAgain(back.calls.slice(0, -1));
    link[(back.calls.at(-1) as OpenCall).row] = row;
    return true;
  }

  /**
   * Before the event in `row` the thread went to another stack, if the return in `returnRow` to this address ends a call on
   * that: right below the call that left it.
   */
  goUnseen(row: number, returnRow: number, to: Address, calls: SwitchingCalls): void {
    if (this.goDownUnseen(row, returnRow, to, calls)) return;
    const back = this.parked.takeUnseen(to, row, returnRow, calls.isToSwitcher);
    if (back === null) return;
    const { link, switches, unseen } = this.pairing;
    this.replace(row, returnRow);
    this.open.switchStack({ row, stack: back.stack });
    for (const call of back.calls) link[call.row] = NONE;
    this.open.pushAgain(back.calls.slice(0, -1));
    const { row: left } = back.calls.at(-1) as OpenCall;
    link[left] = left;
    switches.push(back.change);
    unseen.set(row, { to: 'left', change: back.change });
  }

  /** Does a return to this address end a call on another stack, right below one that left it? */
  isLeftBy(to: Address, isLeaving: (callRow: number) => boolean, goesOn: (callRow: number) => boolean): boolean {
    const { open } = this;
    const landing = open.findCaller(to, true);
    if (landing === NONE) return this.parked.hasLeftBy(to, isLeaving, goesOn);
    const isAnother = landing + 1 < open.length - 1;
    return isAnother && isLeaving(open.rowAt(landing + 1)) && goesOn(open.rowAt(landing));
  }

  /** The same, to the stack from which the running one was gone to. */
  private goDownUnseen(row: number, returnRow: number, to: Address, { isToSwitcher, behind }: SwitchingCalls): boolean {
    const { open, pairing } = this;
    const landing = open.findCaller(to, true);
    if (landing === NONE) return false;
    const isOver = !isToSwitcher(open.rowAt(landing));
    const place = isOver ? landing + 1 : landing;
    if (place >= open.length - 1 || !isToSwitcher(open.rowAt(place))) return false;
    const callRow = open.rowAt(place);
    const isNew = open.findSwitch((change) => change.place === place + 1) === NONE;
    const left = open.cutAbove(place);
    this.leaveBehind(returnRow, isNew ? this.beganUnseen(left, behind(callRow)) : left, row);
    pairing.unseen.set(row, { to: 'below', callRow, isOver });
    if (!isOver) return true;
    pairing.link[callRow] = callRow;
    open.pop();
    return true;
  }

  /** The lowest of these stacks was not seen before: it was gone to before the event in `row`. */
  private beganUnseen([lowest, ...others]: readonly LeftStack[], row: number): LeftStack[] {
    if (lowest === undefined) return [];
    const stack = { leavingRows: [] };
    this.pairing.unseen.set(row, { to: 'new', stack });
    return [{ ...lowest, startRow: row, stack }, ...others];
  }

  /** The event in `row` goes to a stack that was not seen before. */
  goToOther(row: number): void {
    this.replace(row);
    this.open.switchStack({ row, stack: this.beginOther(row) });
  }

  /**
   * What was entered in an earlier `row` is left towards code that is not traced, and that had not called it before: it
   * was called from there, on a stack of its own as far as anybody can tell.
   */
  enteredFromOutside(row: number, leavingRow: number): void {
    this.leaveBehind(leavingRow, this.open.cutAbove(NONE));
    const stack = this.beginOther(row);
    stack.leavingRows.push(leavingRow);
    this.pairing.outcome[leavingRow] = Outcome.Leave;
    this.open.switchStack({ row, stack });
  }

  /** An aborted transaction goes on in a function that may have returned in it. */
  reopen(row: number, fn: FunctionId): void {
    const isCallOf = (callRow: number) => this.functionCalledIn(callRow) === fn;
    for (let place = this.open.length - 1; place >= Math.max(0, this.open.length - DEEPEST_SEARCH); place--)
      if (isCallOf(this.open.rowAt(place))) return;
    const first = this.returned.findLastIndex(({ call }) => isCallOf(call.row));
    const reopened = first === NONE ? [] : openBeforeReturn(this.returned.slice(first));
    const lowest = reopened[0];
    if (lowest === undefined || lowest.place > this.open.length) return;
    this.leaveBehind(row, this.open.cutAbove(lowest.place - 1));
    this.open.pushAgain(reopened.map(({ call }) => call));
    const { outcome, link, aborts } = this.pairing;
    outcome[row] = Outcome.Reopen;
    for (const { call } of reopened) link[call.row] = NONE;
    link[row] = aborts.push(reopened.map(({ call }) => call.row)) - 1;
  }

  private beginOther(row: number): OtherStack {
    const { outcome, link, stacks } = this.pairing;
    const stack = { leavingRows: [] };
    outcome[row] = Outcome.NewStack;
    link[row] = stacks.push(stack) - 1;
    return stack;
  }

  /** A stack that was gone to is left for another one, which takes its place. */
  private replace(row: number, endRow = row): void {
    const current = this.open.findSwitch(({ stack }) => stack !== null);
    if (current === NONE) return;
    this.pairing.replaces.set(row, this.open.switchAt(current).row);
    this.leaveBehind(endRow, this.open.takeStack(current), row);
  }

  /** The event in `row` tells that these were left, at the latest before the one in `leftRow`. */
  private leaveBehind(row: number, left: readonly LeftStack[], leftRow = row): void {
    this.pairing.skipped.add(row, left, this.isRaiser);
    for (const { calls } of left) for (const call of calls) this.pairing.link[call.row] = row;
    this.parked.park(left, leftRow);
  }
}

/** What was open just before the first of these returned: itself, and those that returned later and lay lower. */
function openBeforeReturn(returned: readonly Returned[]): Returned[] {
  const open: Returned[] = [];
  for (const next of returned) if (next.place < (open[0]?.place ?? Number.POSITIVE_INFINITY)) open.unshift(next);
  return open;
}

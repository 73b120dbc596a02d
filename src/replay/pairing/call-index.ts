/**
 * Finds open calls by address, however deep they are. Calls are indexed only for a search, and each one once: a search
 * that finds nothing leaves the stack as it is, and many of them must not walk it again and again.
 */
import { float64Column, int32Column, uint8Column } from '../../model/columns.js';
import { type Address, NONE } from '../../model/units.js';
import { MAX_CALL_BYTES } from '../functions/traits.js';
import { CallKind, isEndOf, type OpenCall } from './calls.js';

/** The open calls by index, lowest first. */
interface CallStack {
  readonly length: number;
  rowAt(index: number): number;
  at(index: number): OpenCall;
}

export class CallIndex {
  private readonly open: CallStack;
  /** Copies of the lowest calls, by which is seen whether they are still open: rows differ. */
  private readonly rows = int32Column();
  private readonly addresses = float64Column();
  private readonly kinds = uint8Column();
  /** The nearest call below with the same address and kind, or NONE. */
  private readonly below = int32Column();
  /** By kind, then address: the uppermost call. Signals do not return to an address. */
  private readonly uppermost = [CallKind.Call, CallKind.KernelEntry].map(() => new Map<Address, number>());

  constructor(open: CallStack) {
    this.open = open;
  }

  /** Returns the index of the uppermost call that a return to this address ends, or NONE. */
  find(to: Address): number {
    this.forgetEnded();
    this.addOpen();
    let found: number = NONE;
    this.uppermost.forEach((indexOf, kind) => {
      for (let bytes = 0; bytes <= MAX_CALL_BYTES; bytes++)
        if (isEndOf(to - bytes, kind, to)) found = Math.max(found, indexOf.get(to - bytes) ?? NONE);
    });
    return found;
  }

  /** Forgets calls that are no longer open. Must precede a push of rows that were open before. */
  forgetEnded(): void {
    for (let at = this.rows.length - 1; at >= 0; at--) {
      if (at < this.open.length && this.open.rowAt(at) === this.rows.values[at]) return; // so are those below
      this.forgetLast();
    }
  }

  private forgetLast(): void {
    const at = --this.rows.length;
    this.addresses.length = this.kinds.length = this.below.length = at;
    const indexOf = this.uppermost[this.kinds.values[at]];
    const address = this.addresses.values[at];
    const below = this.below.values[at];
    if (below === NONE) indexOf?.delete(address);
    else indexOf?.set(address, below);
  }

  private addOpen(): void {
    for (let at = this.rows.length; at < this.open.length; at++) {
      const { row, address, kind } = this.open.at(at);
      const indexOf = this.uppermost[kind];
      this.rows.push(row);
      this.addresses.push(address);
      this.kinds.push(kind);
      this.below.push(indexOf?.get(address) ?? NONE);
      indexOf?.set(address, at);
    }
  }
}

/**
 * Time outside the traced code: in a system call or another stop, on the processor or off it.
 */

import type { CallLogBuilder } from '../model/call-log.js';
import type { CallTreeBuilder } from '../model/call-tree.js';
import type { SpecialSymbol } from '../model/symbol-table.js';
import { type Nanoseconds, NONE, type NodeId, type SymbolId } from '../model/units.js';

/** A synthetic frame that is open now. */
interface OpenStop {
  readonly node: NodeId;
  readonly sinceNs: Nanoseconds;
}

export class Pause {
  private stop: OpenStop | null = null;
  private offCpu: OpenStop | null = null;
  /** Switched out, by which symbol; NONE while it runs. Known before the trace of a stop is, if clocks differ. */
  private switchedOut: SymbolId = NONE;
  private readonly tree: CallTreeBuilder;
  private readonly log: CallLogBuilder | null;
  private readonly kernelIsTraced: boolean;

  constructor(tree: CallTreeBuilder, log: CallLogBuilder | null, kernelIsTraced: boolean) {
    this.tree = tree;
    this.log = log;
    this.kernelIsTraced = kernelIsTraced;
  }

  get isStopped(): boolean {
    return this.stop !== null;
  }

  /** The node that time goes to; NONE while traced code runs. */
  get node(): NodeId {
    return this.offCpu?.node ?? this.stop?.node ?? NONE;
  }

  /** The trace stops under a function. */
  begin(under: NodeId, why: typeof SpecialSymbol.Syscall | typeof SpecialSymbol.Untraced, nowNs: Nanoseconds): void {
    this.stop = this.open(under, why, nowNs);
    if (this.switchedOut !== NONE) this.leaveCpu(this.stop.node, nowNs);
  }

  /** The trace goes on, or ends: then `isSeen` is false. */
  end(nowNs: Nanoseconds, isSeen: boolean): void {
    this.enterCpu(nowNs, isSeen);
    if (this.stop) this.count(this.stop, nowNs, isSeen);
    this.stop = null;
  }

  switchOut(
    under: NodeId,
    why: typeof SpecialSymbol.OffCpu | typeof SpecialSymbol.Preempted,
    nowNs: Nanoseconds,
  ): void {
    this.enterCpu(nowNs, true);
    this.switchedOut = why;
    if (this.stop) this.leaveCpu(this.stop.node, nowNs);
    else if (this.kernelIsTraced) this.leaveCpu(under, nowNs);
  }

  switchIn(nowNs: Nanoseconds, isSeen = true): void {
    this.enterCpu(nowNs, isSeen);
  }

  /** Traced code goes on: a switch that no stop followed meant nothing. */
  forgetSwitch(): void {
    this.switchedOut = NONE;
  }

  private leaveCpu(under: NodeId, nowNs: Nanoseconds): void {
    this.offCpu = this.open(under, this.switchedOut, nowNs);
  }

  private enterCpu(nowNs: Nanoseconds, isSeen: boolean): void {
    this.switchedOut = NONE;
    if (this.offCpu) this.count(this.offCpu, nowNs, isSeen);
    this.offCpu = null;
  }

  private open(under: NodeId, why: SymbolId, nowNs: Nanoseconds): OpenStop {
    const node = this.tree.child(under, why);
    this.log?.stop(node);
    return { node, sinceNs: nowNs };
  }

  private count({ node, sinceNs }: OpenStop, nowNs: Nanoseconds, isSeen: boolean): void {
    this.log?.endStop(isSeen);
    if (isSeen) this.tree.countComplete(node, nowNs - sinceNs);
    else this.tree.countInferred(node, nowNs - sinceNs);
  }
}

/**
 * Calls and times of a thread that are listed one by one. Reused for the next thread.
 */
import { float64Column, int32Column, uint8Column } from '../../../model/columns.js';
import type { ListedCalls, ListedTimes } from '../../../model/timeline/timeline.js';
import type { Nanoseconds, NodeId } from '../../../model/units.js';

export class CallRows {
  private readonly startNs = float64Column();
  private readonly endNs = float64Column();
  private readonly node = int32Column();
  private readonly ending = int32Column();
  private readonly knownNs = float64Column();

  get length(): number {
    return this.node.length;
  }

  clear(): void {
    const { startNs, endNs, node, ending, knownNs } = this;
    for (const column of [startNs, endNs, node, ending, knownNs]) column.length = 0;
  }

  push(node: NodeId, startNs: Nanoseconds, endNs: Nanoseconds, ending: number, knownNs: Nanoseconds): void {
    this.startNs.push(startNs);
    this.endNs.push(endNs);
    this.node.push(node);
    this.ending.push(ending);
    this.knownNs.push(knownNs);
  }

  /** Shares memory with the columns. */
  view(): ListedCalls {
    const { startNs, endNs, node, ending, knownNs } = this;
    return {
      startNs: startNs.view(),
      endNs: endNs.view(),
      node: node.view(),
      ending: ending.view(),
      knownNs: knownNs.view(),
    };
  }

  build(): ListedCalls {
    const { startNs, endNs, node, ending, knownNs } = this.view();
    return {
      startNs: startNs.slice(),
      endNs: endNs.slice(),
      node: node.slice(),
      ending: ending.slice(),
      knownNs: knownNs.slice(),
    };
  }
}

export class TimeRows {
  private readonly startNs = float64Column();
  private readonly endNs = float64Column();
  private readonly node = int32Column();
  private readonly isInferred = uint8Column();

  get length(): number {
    return this.node.length;
  }

  clear(): void {
    const { startNs, endNs, node, isInferred } = this;
    for (const column of [startNs, endNs, node, isInferred]) column.length = 0;
  }

  push(node: NodeId, startNs: Nanoseconds, endNs: Nanoseconds, isInferred: boolean): void {
    this.startNs.push(startNs);
    this.endNs.push(endNs);
    this.node.push(node);
    this.isInferred.push(isInferred ? 1 : 0);
  }

  /** Shares memory with the columns. */
  view(): ListedTimes {
    const { startNs, endNs, node, isInferred } = this;
    return { startNs: startNs.view(), endNs: endNs.view(), node: node.view(), isInferred: isInferred.view() };
  }

  build(): ListedTimes {
    const { startNs, endNs, node, isInferred } = this.view();
    return { startNs: startNs.slice(), endNs: endNs.slice(), node: node.slice(), isInferred: isInferred.slice() };
  }
}

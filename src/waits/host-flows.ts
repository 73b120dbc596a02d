/**
 * Puts what several hosts recorded of a flow on their common clock, and finds what one handed on and another took.
 */
import { NONE } from '../model/units.js';
import { type Flow, type MergedMoments, mergeMoments } from './flow.js';
import { HandOffBy, pushesByKey } from './hand-offs.js';
import type { HostClocks } from './host-clocks.js';
import type { Moments } from './moments.js';

/** What a host recorded of a flow, on its own clock. */
export interface HostFlow extends Pick<Flow, 'pushes' | 'pops' | 'startNs' | 'endNs' | 'batch'> {
  readonly host: number;
}

/** All hosts, and the numbers of their threads and processes. */
export interface Hosts {
  readonly clocks: HostClocks;
  readonly threads: HostIds;
  readonly processes: HostIds;
  /** They are recordings of one program, of which nothing is joined. */
  readonly areApart: boolean;
}

/** Joins the hand-offs of hosts by key, where their clocks are related. */
export function flowsByKey(sides: readonly HostFlow[], hosts: Hosts): Flow[] {
  const roots = new Set(sides.map(({ host }) => hosts.clocks.rootOf(host)));
  return [...roots].map((root) =>
    flowByKey(
      sides.filter(({ host }) => hosts.clocks.rootOf(host) === root),
      hosts,
    ),
  );
}

function flowByKey(sides: readonly HostFlow[], hosts: Hosts): Flow {
  const pushes = mergeMoments(sides.map(({ host, pushes }) => placedMoments(pushes, host, hosts)));
  const pops = mergeMoments(sides.map(({ host, pops }) => placedMoments(pops, host, hosts)));
  const push = pushesByKey(pushes.moments, pops.moments);
  const times = (from: MergedMoments, columnOf: (side: HostFlow) => Float64Array) =>
    Float64Array.from(from.source, (source, row) => columnOf(sides[source])[from.sourceRow[row]]);
  return {
    ...{ pushes: pushes.moments, pops: pops.moments, push },
    by: Uint8Array.from(push, (row) => (row === NONE ? HandOffBy.None : HandOffBy.Key)),
    pushNs: times(pushes, ({ pushes }) => pushes.timeNs),
    startNs: times(pops, ({ startNs }) => startNs),
    endNs: times(pops, ({ endNs }) => endNs),
    batch: Int32Array.from(pops.source, (source, row) => pops.rowOf[source][sides[source].batch[pops.sourceRow[row]]]),
  };
}

/** Puts a host's flow on the common clock; work keeps the times of its host. */
export function placedFlow(flow: Flow, host: number, hosts: Hosts): Flow {
  const [pushes, pops] = [flow.pushes, flow.pops].map((moments) => placedMoments(moments, host, hosts));
  return { ...flow, pushes, pops };
}

function placedMoments(moments: Moments, host: number, { clocks, threads, processes }: Hosts): Moments {
  const { timeNs, tid, pid } = moments;
  return {
    ...moments,
    timeNs: clocks.commonTimes(host, timeNs),
    tid: threads.idsOf(host, tid),
    pid: processes.idsOf(host, pid),
  };
}

/** Numbers the threads, or processes, of several hosts: each host has its own. */
export class HostIds {
  private readonly isOnly: boolean;
  private readonly ids = new Map<number, number>();
  private readonly hosts: number[] = [];
  private readonly numbers: number[] = [];

  /** On a single host, the number is the id. */
  constructor(hostCount: number) {
    this.isOnly = hostCount === 1;
  }

  idOf(host: number, number: number): number {
    if (this.isOnly) return number;
    const key = host * HOST_SIZE + number;
    let id = this.ids.get(key);
    if (id === undefined) {
      this.ids.set(key, (id = this.hosts.push(host) - 1));
      this.numbers.push(number);
    }
    return id;
  }

  idsOf(host: number, numbers: Int32Array): Int32Array {
    return this.isOnly ? numbers : numbers.map((number) => this.idOf(host, number));
  }

  hostOf(id: number): number {
    return this.isOnly ? 0 : this.hosts[id];
  }

  numberOf(id: number): number {
    return this.isOnly ? id : this.numbers[id];
  }
}

const HOST_SIZE = 2 ** 32;

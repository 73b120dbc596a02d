/**
 * Flows of work: the events at which threads hand it on, and those at which others take it.
 */
import { float64Column, int32Column, uint8Column } from '../model/columns.js';
import { NONE } from '../model/units.js';
import type { HandOffs } from './hand-offs.js';
import type { Moments } from './moments.js';

/** The moments of one flow, or of several together. */
export interface Flow extends HandOffs {
  readonly pushes: Moments;
  readonly pops: Moments;
  /** By push: when work was handed on, on the clock of its host. */
  readonly pushNs: Float64Array;
  /** By pop: when the work that was taken began, and when it was done, on the clock of its host. */
  readonly startNs: Float64Array;
  readonly endNs: Float64Array;
  /** By pop: the first pop of its batch; itself, if its work is done alone. */
  readonly batch: Int32Array;
}

/** Merges flows by time; at equal times, in their order. */
export function joinFlows(flows: readonly Flow[]): Flow {
  if (flows.length === 1) return flows[0];
  const pushes = mergeMoments(flows.map(({ pushes }) => pushes));
  const pops = mergeMoments(flows.map(({ pops }) => pops));
  const push = int32Column();
  const by = uint8Column();
  const pushNs = Float64Array.from(pushes.source, (flow, row) => flows[flow].pushNs[pushes.sourceRow[row]]);
  const startNs = float64Column();
  const endNs = float64Column();
  const batch = int32Column();
  for (let row = 0; row < pops.moments.length; row++) {
    const flow = pops.source[row];
    const own = pops.sourceRow[row];
    const from = flows[flow].push[own];
    push.push(from === NONE ? NONE : pushes.rowOf[flow][from]);
    by.push(flows[flow].by[own]);
    startNs.push(flows[flow].startNs[own]);
    endNs.push(flows[flow].endNs[own]);
    batch.push(pops.rowOf[flow][flows[flow].batch[own]]);
  }
  return {
    ...{ pushes: pushes.moments, pops: pops.moments },
    ...{ push: push.view(), by: by.view(), pushNs, batch: batch.view() },
    ...{ startNs: startNs.view(), endNs: endNs.view() },
  };
}

export interface MergedMoments {
  readonly moments: Moments;
  /** By row: the source that it is from, and its row there. */
  readonly source: Int32Array;
  readonly sourceRow: Int32Array;
  /** By source and its row: the merged row. */
  readonly rowOf: readonly Int32Array[];
}

export function mergeMoments(sources: readonly Moments[]): MergedMoments {
  const all = sources.flatMap(({ length }, source) => Array.from({ length }, (_, row) => [source, row] as const));
  all.sort(([a, rowOfA], [b, rowOfB]) => sources[a].timeNs[rowOfA] - sources[b].timeNs[rowOfB] || a - b);
  const rowOf = sources.map(({ length }) => new Int32Array(length));
  all.forEach(([source, row], merged) => {
    rowOf[source][row] = merged;
  });
  const moments = {
    length: all.length,
    timeNs: Float64Array.from(all, ([source, row]) => sources[source].timeNs[row]),
    tid: Int32Array.from(all, ([source, row]) => sources[source].tid[row]),
    pid: Int32Array.from(all, ([source, row]) => sources[source].pid[row]),
    key: all.map(([source, row]) => sources[source].key[row]),
  };
  return {
    moments,
    source: Int32Array.from(all, ([source]) => source),
    sourceRow: Int32Array.from(all, ([, row]) => row),
    rowOf,
  };
}

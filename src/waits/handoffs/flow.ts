/**
 * Flows of work: the events at which threads hand it on, and those at which others take it.
 */
import { float64Column, int32Column, uint8Column } from '../../model/columns.js';
import { NONE } from '../../model/units.js';
import type { HandOffs } from './hand-offs.js';
import type { Moments } from './moments.js';

/** The moments of one flow, or of several together. */
export interface Flow extends HandOffs {
  readonly pushes: Moments;
  readonly pops: Moments;
  /** By pop: when the work that was taken began, and when it was done. */
  readonly startNs: Float64Array;
  readonly endNs: Float64Array;
}

/** Merges flows by time; at equal times, in their order. The keys have done their work, and are left out. */
export function joinFlows(flows: readonly Flow[]): Flow {
  const pushes = mergeMoments(flows.map(({ pushes }) => pushes));
  const pops = mergeMoments(flows.map(({ pops }) => pops));
  const push = int32Column();
  const by = uint8Column();
  const startNs = float64Column();
  const endNs = float64Column();
  for (let row = 0; row < pops.moments.length; row++) {
    const flow = pops.source[row];
    const own = pops.sourceRow[row];
    const from = flows[flow].push[own];
    push.push(from === NONE ? NONE : pushes.rowOf[flow][from]);
    by.push(flows[flow].by[own]);
    startNs.push(flows[flow].startNs[own]);
    endNs.push(flows[flow].endNs[own]);
  }
  return {
    ...{ pushes: pushes.moments, pops: pops.moments },
    ...{ push: push.view(), by: by.view(), startNs: startNs.view(), endNs: endNs.view() },
  };
}

interface MergedMoments {
  readonly moments: Moments;
  /** By row: which of the merged it is from, and its row there. */
  readonly source: Int32Array;
  readonly sourceRow: Int32Array;
  /** By source and its row: the merged row. */
  readonly rowOf: readonly Int32Array[];
}

function mergeMoments(sources: readonly Moments[]): MergedMoments {
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
    key: new Float64Array(all.length).fill(Number.NaN),
  };
  return {
    moments,
    source: Int32Array.from(all, ([source]) => source),
    sourceRow: Int32Array.from(all, ([, row]) => row),
    rowOf,
  };
}

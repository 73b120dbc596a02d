/**
 * Measures whether the mark "inferred" is meaningful: compares marked and unmarked time with the truth, path by path.
 */
import type { Profile } from '../../../src/index.js';
import { isTrampolineOrStop, type Paths, trueName } from './fidelity.js';

/** In percent. */
export interface MarkedTime {
  /** Share of the total time. */
  readonly marked: number;
  /** Share of the marked and of the unmarked time on paths where the truth has less. */
  readonly wrongOfMarked: number;
  readonly wrongOfUnmarked: number;
}

/** On a path with too much time, unmarked time counts as right first. */
export function markedTime(truth: Pick<Paths, 'ns'>, profile: Profile): MarkedTime {
  const sums = { marked: 0, wrongMarked: 0, unmarked: 0, wrongUnmarked: 0 };
  for (const [path, { marked, unmarked }] of timeByPath(profile)) {
    const trueNs = truth.ns.get(path) ?? 0;
    sums.marked += marked;
    sums.unmarked += unmarked;
    sums.wrongUnmarked += Math.max(0, unmarked - trueNs);
    sums.wrongMarked += Math.max(0, marked - Math.max(0, trueNs - unmarked));
  }
  const share = (part: number, all: number) => (all === 0 ? 0 : (100 * part) / all);
  return {
    marked: share(sums.marked, sums.marked + sums.unmarked),
    wrongOfMarked: share(sums.wrongMarked, sums.marked),
    wrongOfUnmarked: share(sums.wrongUnmarked, sums.unmarked),
  };
}

function timeByPath({ threads, symbols }: Profile): Map<string, { marked: number; unmarked: number }> {
  const times = new Map<string, { marked: number; unmarked: number }>();
  for (const { tree } of threads) {
    const paths: string[][] = [[]];
    for (let node = 1; node < tree.length; node++) {
      const name = symbols.name[tree.symbol[node]];
      const below = paths[tree.parent[node]];
      paths.push(isTrampolineOrStop(name) ? below : [...below, trueName(name)]);
      const path = paths[node].join(';');
      const time = times.get(path) ?? { marked: 0, unmarked: 0 };
      time.marked += tree.inferredNs[node];
      time.unmarked += tree.selfNs[node] - tree.inferredNs[node];
      times.set(path, time);
    }
  }
  return times;
}

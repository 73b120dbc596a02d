/**
 * Does the mark "in doubt" mean something? Compares marked and unmarked time with the truth, path by path.
 */
import type { Profile } from '../../../src/index.js';
import { isTrampolineOrStop, type Paths, trueName } from './fidelity.js';

/** In percent. */
export interface MarkedTime {
  /** Of all time. */
  readonly marked: number;
  /** Of the marked time, and of the unmarked: on a path on which the truth has not as much. */
  readonly wrongOfMarked: number;
  readonly wrongOfUnmarked: number;
}

/** Of a path with too much time the unmarked time is taken to be right first. */
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

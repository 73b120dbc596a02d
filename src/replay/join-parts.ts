/**
 * Puts the replays of a thread's parts together, in their order.
 */
import { CallTreeBuilder } from '../model/calls/call-tree.js';
import type { InferenceName } from '../model/profile/profile.js';
import type { SiteFacts } from './functions/site-facts.js';
import { functionPaths } from './losses/known-paths.js';
import type { ThreadReplay } from './thread-replay.js';

type Replay = Omit<ThreadReplay, 'log'>;

/** What the parts count adds up, and nodes come in the order in which the thread calls them. */
export class PartJoiner {
  private readonly tree = new CallTreeBuilder();
  private sum: Replay | null = null;

  constructor(private readonly facts: SiteFacts) {}

  /** The nodes so far. */
  get nodes(): number {
    return this.tree.length;
  }

  /** Adds the next part. Returns by node of its tree the one of the thread. */
  add(part: Replay): Int32Array {
    const { sum } = this;
    this.sum = sum === null ? part : added(sum, part);
    return this.tree.merge(part.tree);
  }

  /** Returns the replay of the thread. Its tree has nodes without calls and time, too. */
  build(): Replay {
    const tree = this.tree.build();
    const paths = functionPaths(tree, tree.length, this.facts.inlined);
    return { ...(this.sum as Replay), tree, paths };
  }
}

function added(sum: Replay, part: Replay): Replay {
  const names = Object.keys(sum.inferred) as InferenceName[];
  return {
    ...sum,
    endNs: part.endNs,
    inferred: Object.fromEntries(names.map((name) => [name, sum.inferred[name] + part.inferred[name]])) as never,
    lost: [...sum.lost, ...part.lost],
    hiddenNs: sum.hiddenNs + part.hiddenNs,
    inferredEvents: sum.inferredEvents + part.inferredEvents,
  };
}

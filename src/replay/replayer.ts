/**
 * Replays threads one after the other, reusing the same memory.
 */
import { CallLogBuilder } from '../model/calls/call-log.js';
import { CallTreeBuilder } from '../model/calls/call-tree.js';
import { DurationsBuilder } from '../model/calls/durations.js';
import type { ThreadEvents } from '../model/trace/thread-events.js';
import type { SiteFacts } from './functions/site-facts.js';
import { PairingMemory } from './pairing/pairing.js';
import { beginReplay, hasLosses, runReplay } from './replay.js';
import type { ReplayMemory, ReplayOptions, ThreadReplay } from './thread-replay.js';

export class Replayer {
  private readonly memory: ReplayMemory = {
    tree: new CallTreeBuilder(),
    log: new CallLogBuilder(),
    pairing: new PairingMemory(),
  };
  /** Durations of a thread that may have to be replayed again. */
  private readonly provisional = new DurationsBuilder();
  private readonly facts: SiteFacts;

  constructor(facts: SiteFacts) {
    this.facts = facts;
  }

  replay(events: ThreadEvents, options: ReplayOptions): ThreadReplay {
    const { memory, provisional } = this;
    const { durations = null, knownPaths, wantsLog = false } = options;
    memory.tree.clear();
    memory.log.clear(wantsLog ? events.length : 0);
    const state = beginReplay(events, this.facts, options, memory);
    const mayBeDiscarded = durations !== null && knownPaths === null && hasLosses(state);
    if (mayBeDiscarded) provisional.clear();
    memory.tree.durations = mayBeDiscarded ? provisional : durations;
    const result = runReplay(state);
    if (mayBeDiscarded && !result.hasUnconfirmedPaths) durations.addBlocks(provisional.blocks());
    return result;
  }
}

/** Replays a single thread in memory of its own. */
export function replayThread(events: ThreadEvents, facts: SiteFacts, options: ReplayOptions): ThreadReplay {
  return new Replayer(facts).replay(events, options);
}

/**
 * Replays threads one after the other, reusing the same memory.
 */
import { CallLogBuilder } from '../model/calls/call-log.js';
import { CallTreeBuilder } from '../model/calls/call-tree.js';
import { DurationsBuilder } from '../model/calls/durations.js';
import type { ThreadEvents } from '../model/trace/trace-chunk.js';
import type { SiteFacts } from './functions/site-facts.js';
import { ReplayKernel } from './host/replay-kernel.js';
import { OwnRows } from './host/rows.js';
import { KernelPairingMemory, OwnPairingMemory } from './pairing/pairing.js';
import { beginReplay, hasLosses, runReplay } from './replay.js';
import type { ReplayMemory, ReplayOptions, ThreadReplay } from './thread-replay.js';
import { FRAME_BYTES } from './wasm/layout.js';

export class Replayer {
  private readonly facts: SiteFacts;
  private readonly kernel: ReplayKernel | null;
  private readonly log = new CallLogBuilder();
  /** Memory of the kernel, and memory for threads that are replayed without it; null: not needed yet. */
  private readonly kernelMemory: ReplayMemory | null;
  private ownMemory: ReplayMemory | null = null;
  /** Durations of a thread that may have to be replayed again. */
  private readonly provisional = new DurationsBuilder();

  /** `kernel`: null to replay in TypeScript alone. */
  constructor(facts: SiteFacts, kernel: ReplayKernel | null = ReplayKernel.start(facts)) {
    this.facts = facts;
    this.kernel = kernel;
    this.kernelMemory = kernel && memoryOf(kernel, this.log);
  }

  replay(events: ThreadEvents, options: ReplayOptions): ThreadReplay {
    const { provisional } = this;
    const { durations = null, knownPaths, wantsLog = false } = options;
    const memory = this.memoryFor(events.length);
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

  private memoryFor(events: number): ReplayMemory {
    if (this.kernel?.begin(events) && this.kernelMemory) return this.kernelMemory;
    this.ownMemory ??= ownMemory(this.facts, this.log);
    return this.ownMemory;
  }
}

function memoryOf(kernel: ReplayKernel, log: CallLogBuilder): ReplayMemory {
  const { memory, highest } = kernel;
  const pairing = new KernelPairingMemory(kernel);
  return { tree: new CallTreeBuilder(memory.tree), log, pairing, frames: memory.stack, highest, kernel };
}

function ownMemory({ functions }: SiteFacts, log: CallLogBuilder): ReplayMemory {
  const frames = new OwnRows(64 * FRAME_BYTES);
  const highest = new Int32Array(functions.length);
  return { tree: new CallTreeBuilder(), log, pairing: new OwnPairingMemory(), frames, highest, kernel: null };
}

/** Replays a single thread in memory of its own. */
export function replayThread(events: ThreadEvents, facts: SiteFacts, options: ReplayOptions): ThreadReplay {
  return new Replayer(facts).replay(events, options);
}

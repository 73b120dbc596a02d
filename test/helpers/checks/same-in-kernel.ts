/**
 * Replays traces in the kernel and in TypeScript, in every way, and compares.
 */
import { expect } from 'vitest';
import { DurationsBuilder } from '../../../src/model/calls/durations.js';
import { assert } from '../../../src/model/errors.js';
import type { ThreadEvents } from '../../../src/model/trace/trace-chunk.js';
import { untilExit } from '../../../src/pipeline/replay/trace-replayer.js';
import type { SiteFacts } from '../../../src/replay/functions/site-facts.js';
import { ReplayKernel } from '../../../src/replay/host/replay-kernel.js';
import { KnownPaths } from '../../../src/replay/losses/known-paths.js';
import { pairThread } from '../../../src/replay/pairing/pair-thread.js';
import { KernelPairingMemory } from '../../../src/replay/pairing/pairing.js';
import { Replayer } from '../../../src/replay/replayer.js';
import type { ReplayOptions, ThreadReplay } from '../../../src/replay/thread-replay.js';
import type { TraceThreads } from '../traces/threads-of.js';

/** `name`: printed if something differs. */
export function expectSameInKernel({ threads, facts, bounds }: TraceThreads, name: string): void {
  const kernel = kernelFor(facts);
  for (const { events } of threads) {
    kernel.begin(events.length);
    expect(pairThread(events, facts, new KernelPairingMemory(kernel)), name).toEqual(pairThread(events, facts));
  }
  const inKernel = new Replayer(facts, kernel);
  const inTypeScript = new Replayer(facts, null);
  for (const tailCalls of ['nest', 'replace'] as const) {
    const replay = (knownPaths: KnownPaths | null): ThreadReplay[] =>
      threads.map(({ events, createdInside, exitNs }) => {
        const options = { tailCalls, extendTo: untilExit(bounds, exitNs), createdInside, knownPaths };
        const [short, durations] = withDurations(inKernel, events, options);
        expect(withDurations(inTypeScript, events, options), name).toEqual([short, durations]);
        const withLog = { ...options, wantsLog: true };
        expect(inKernel.replay(events, withLog), name).toEqual(inTypeScript.replay(events, withLog));
        return short;
      });
    replay(new KnownPaths(replay(null)));
  }
}

function kernelFor(facts: SiteFacts): ReplayKernel {
  const kernel = ReplayKernel.start(facts);
  assert(kernel !== null, 'the kernel starts');
  return kernel;
}

function withDurations(replayer: Replayer, events: ThreadEvents, options: ReplayOptions) {
  const durations = new DurationsBuilder();
  const replay = replayer.replay(events, { ...options, durations });
  return [replay, durations.build()] as const;
}

/**
 * Replays traces in the module and in TypeScript, in every way, and compares.
 */
import { expect } from 'vitest';
import { DurationsBuilder } from '../../../src/model/calls/durations.js';
import { assert } from '../../../src/model/errors.js';
import type { ThreadEvents } from '../../../src/model/trace/thread-events.js';
import { untilExit } from '../../../src/pipeline/replay/trace-replayer.js';
import { type SiteFacts, withSwitcher } from '../../../src/replay/functions/site-facts.js';
import { KnownPaths } from '../../../src/replay/losses/known-paths.js';
import { pairThread } from '../../../src/replay/pairing/pair-thread.js';
import { ModulePairingMemory, type Pairing } from '../../../src/replay/pairing/pairing.js';
import { ReplayModule } from '../../../src/replay/replay-module.js';
import { Replayer } from '../../../src/replay/replayer.js';
import type { ReplayOptions, ThreadReplay } from '../../../src/replay/thread-replay.js';
import type { TraceThreads } from '../traces/threads-of.js';

/** `name`: printed if something differs. */
export function expectSameInModule({ threads, facts: atFirst, bounds }: TraceThreads, name: string): void {
  const facts = withAllSwitchers(threads, atFirst);
  const module = moduleFor(facts);
  for (const { events } of threads) {
    module.begin(events);
    const inModule = pairThread(events, facts, new ModulePairingMemory(module));
    expect(asData(inModule, events), name).toEqual(asData(pairThread(events, facts), events));
  }
  const inModule = new Replayer(facts, module);
  const inTypeScript = new Replayer(facts, null);
  for (const tailCalls of ['nest', 'replace'] as const) {
    const replay = (knownPaths: KnownPaths | null): ThreadReplay[] =>
      threads.map(({ events, createdInside, exitNs }) => {
        const options = { tailCalls, extendTo: untilExit(bounds, exitNs), createdInside, knownPaths };
        const [short, durations] = withDurations(inModule, events, options);
        expect(withDurations(inTypeScript, events, options), name).toEqual([short, durations]);
        const withLog = { ...options, wantsLog: true, wantsPlaces: true };
        expect(inModule.replay(events, withLog), name).toEqual(inTypeScript.replay(events, withLog));
        return short;
      });
    replay(new KnownPaths(replay(null)));
  }
}

/** Rows as columns. */
function asData({ rows, ...pairing }: Pairing, { length }: ThreadEvents) {
  const [action, link] = [new Uint8Array(length), new Int32Array(length)];
  for (let row = 0; row < length; row++) [action[row], link[row]] = [rows.actionAt(row), rows.linkAt(row)];
  return { ...pairing, action, link };
}

/** Learns in both ways which functions switch stacks. */
function withAllSwitchers(threads: TraceThreads['threads'], facts: SiteFacts): SiteFacts {
  const module = moduleFor(facts);
  for (const { events } of threads) {
    const { switcher } = pairThread(events, facts);
    module.begin(events);
    expect(pairThread(events, facts, new ModulePairingMemory(module)).switcher).toEqual(switcher);
    if (switcher) return withAllSwitchers(threads, withSwitcher(facts, switcher));
  }
  return facts;
}

function moduleFor(facts: SiteFacts): ReplayModule {
  const module = ReplayModule.start(facts);
  assert(module !== null, 'the module starts');
  return module;
}

function withDurations(replayer: Replayer, events: ThreadEvents, options: ReplayOptions) {
  const durations = new DurationsBuilder();
  const replay = replayer.replay(events, { ...options, durations });
  return [replay, durations.build()] as const;
}

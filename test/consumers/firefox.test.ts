/**
 * Tests that Firefox Profiler has every thread, function and marker with their times.
 */
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { renderFirefox } from '../../src/export/firefox.js';
import type { Profile } from '../../src/index.js';
import { CallEvent, type CallEvents, type LongestCalls } from '../../src/model/calls/call-events.js';
import { functionTimesOf, linesOf } from '../helpers/checks/function-times.js';
import { rendered } from '../helpers/checks/rendered.js';
import { type Directory, test } from '../helpers/cli/run-cli.js';
import { fixture } from '../helpers/traces/load.js';
import { callsOf } from '../helpers/traces/longest-calls.js';
import { strangeTrace } from '../helpers/traces/strange-names.js';
import { OVER_TIME } from './over-time.js';
import { type FirefoxFunction, type FirefoxThread, findProfilerCli, LoadedProfile } from './profiler-cli.js';

const found = findProfilerCli();

async function withLoaded(
  text: Uint8Array | string,
  dir: Directory,
  use: (loaded: LoadedProfile, calls: { profile: Profile; longestCalls: LongestCalls }) => Promise<void>,
): Promise<void> {
  const calls = await callsOf(text);
  const path = await dir.write('x.firefox.json', await rendered(renderFirefox(calls.profile, calls.longestCalls)));
  const loaded = await LoadedProfile.load('folder' in found ? found.folder : '', path, join(dir.path, 'sessions'));
  try {
    await use(loaded, calls);
  } finally {
    await loaded.stop();
  }
}

/** Functions without any time are not in the profiler's tables. */
function expectedLines(profile: Profile, tid: number): string[] {
  const times = functionTimesOf(profile).get(tid) ?? [];
  return linesOf(times.filter(({ totalNs }) => totalNs > 0));
}

const ns = (ms: number) => Math.round(ms * 1e6);

function shownLines(functions: readonly FirefoxFunction[]): string[] {
  const times = functions.map(({ name, library = null, selfSamples, totalSamples }) => {
    return { name, file: library, selfNs: ns(selfSamples), totalNs: ns(totalSamples) };
  });
  return linesOf(times);
}

describe.concurrent('Firefox Profiler', () => {
  test.beforeEach(({ skip }) => skip('problem' in found, 'problem' in found ? found.problem : ''));

  test.for(OVER_TIME)('shows every function and nanosecond of %s', async (name, { dir }) => {
    await withLoaded(fixture(name), dir, async (loaded, { profile }) => {
      const threads = await loaded.threads();
      expect(threads.map(({ tid }) => tid)).toEqual(profile.threads.map(({ tid }) => tid));
      for (const thread of threads)
        expect(shownLines(await loaded.functions(thread))).toEqual(expectedLines(profile, thread.tid));
    });
  });

  test('shows names, whatever they are', async ({ dir }) => {
    await withLoaded(strangeTrace(), dir, async (loaded, { profile }) => {
      const [thread] = await loaded.threads();
      expect(shownLines(await loaded.functions(thread as FirefoxThread))).toEqual(expectedLines(profile, 7));
    });
  });

  test('shows time on CPUs, and calls that were not seen whole', async ({ dir }) => {
    await withLoaded(fixture('demo/threads.perf.txt.gz'), dir, async (loaded, { profile, longestCalls }) => {
      for (const { tid, name, cpuMs, markerCount } of await loaded.threads()) {
        expect(name).toBe('threads');
        const times = functionTimesOf(profile).get(tid) ?? [];
        const offNs = times.filter((own) => own.name === '[off-cpu]').reduce((sum, { selfNs }) => sum + selfNs, 0);
        const allNs = times.reduce((sum, { selfNs }) => sum + selfNs, 0);
        expect(ns(cpuMs)).toBe(allNs - offNs);
        const { kind } = longestCalls.threads.find((own) => own.tid === tid) as CallEvents;
        expect(markerCount).toBe(kind.filter((own) => own === CallEvent.Cut).length);
      }
    });
  });
});

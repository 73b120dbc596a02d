/**
 * A thread with several stacks: however it switches between them, calls stay complete and time is on the right stack.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Profile } from '../../src/index.js';
import { FiberRun, fiberDecisions } from '../helpers/random/fiber-run.js';
import { times } from '../helpers/random/times.js';
import { analyzeText, fold } from '../helpers/traces/load.js';

test.each(['root', 'nest'] as const)('puts the time of each stack on its own frames: %s', async (fibers) => {
  await fc.assert(
    fc.asyncProperty(fiberDecisions, async (list) => {
      const run = new FiberRun();
      for (const decision of list) run.decide(decision);
      run.end();
      const profile = await analyzeText(`${run.lines.join('\n')}\n`, { extend: false, fibers });
      const selfNs = fibers === 'nest' ? run.selfNs : ofRoots(run.selfNs);
      expect(selfTimes(profile)).toEqual(new Map([...selfNs].sort()));
      expect(profile.quality.gaps).toEqual([]);
    }),
    { numRuns: times(100) },
  );
});

/** Cuts the frames of the thread's own stack off the paths of the others. */
function ofRoots(selfNs: ReadonlyMap<string, number>): Map<string, number> {
  const sums = new Map<string, number>();
  for (const [path, ns] of selfNs) {
    const other = /(?<=;swapcontext;)s[1-9].*/.exec(path);
    const own = other ? other[0] : path;
    sums.set(own, (sums.get(own) ?? 0) + ns);
  }
  return sums;
}

function selfTimes(profile: Profile): Map<string, number> {
  const lines = fold(profile, { minNs: 1 }).trimEnd().split('\n');
  const rows = lines.map(
    (line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ')))] as const,
  );
  return new Map(rows.sort());
}

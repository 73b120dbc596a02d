/**
 * A thread with several stacks: however it switches between them, calls stay complete and time is on the right stack.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Profile } from '../../src/index.js';
import type { Fibers, TailCalls } from '../../src/replay/stack/frame.js';
import { expectSameInTwin } from '../helpers/checks/same-in-twin.js';
import { FiberProgram, type FiberStyle, fiberLoss, fiberSteps } from '../helpers/random/fiber-program.js';
import { FiberRun, fiberDecisions, withLosses } from '../helpers/random/fiber-run.js';
import { times } from '../helpers/random/times.js';
import { analyzeText, fold, inputOf } from '../helpers/traces/load.js';
import { threadsOfInput } from '../helpers/traces/threads-of.js';

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
      expect(resumptionsOf(profile)).toEqual(run.resumptions.sort());
    }),
    { numRuns: times(150) },
  );
});

describe('time is on the right path, or marked as inferred', () => {
  test.each([
    ['if no name says that a function switches stacks', (text: string) => text.replaceAll('swapcontext', 'sw')],
    ['if no event shows where a switch leads', (text: string) => text.replace(/^.*return +\w+ swapcontext.*\n/gm, '')],
  ])('%s', async (_, change) => {
    await fc.assert(
      fc.asyncProperty(fiberDecisions, async (list) => {
        const run = new FiberRun();
        for (const decision of list) run.decide(decision);
        run.end();
        const text = change(`${run.lines.join('\n')}\n`);
        const name = text.includes('swapcontext') ? 'swapcontext' : 'sw';
        const profile = await analyzeText(text, { extend: false, tailCalls: 'replace' });
        const truth = new Map(
          [...ofRoots(run.selfNs)].map(([path, ns]) => [path.replaceAll('swapcontext', name), ns] as const),
        );
        for (const { path, selfNs, inferredNs } of pathsOf(profile))
          expect(selfNs - inferredNs, path).toBeLessThanOrEqual(truth.get(path) ?? 0);
      }),
      { numRuns: times(150) },
    );
  });
});

function resumptionsOf({ threads, symbols: { name } }: Profile): string[] {
  return threads
    .flatMap(({ resumptions: { stack, by, times } = { stack: [], by: [], times: [] } }) =>
      times.flatMap((count, row) => Array<string>(count).fill(`${name[stack[row]]} by ${name[by[row]]}`)),
    )
    .sort();
}

const losses = fc.array(fiberLoss, { minLength: 1, maxLength: 3 });

describe('after losses, hardly any wrong time is unmarked', () => {
  const named = (lines: string[]) => lines;
  const nameless = (lines: string[]) => lines.map((line) => line.replaceAll('swapcontext', 'sw'));
  const hidden = (lines: string[]) => lines.filter((line) => !/return +\w+ swapcontext/.test(line));

  test.each([
    ['each fiber runs functions of its own', false, named],
    ['all fibers run the same', true, named],
    ['no name says that a function switches stacks', true, nameless],
    ['no event shows where a switch leads', true, hidden],
  ])('%s', async (_, areAlike, change) => {
    let [totalNs, wrongNs] = [0, 0];
    for (const [decisions, cuts] of fc.sample(fc.tuple(fiberDecisions, losses), { numRuns: times(450), seed: 7 })) {
      const run = new FiberRun(areAlike);
      for (const decision of decisions) run.decide(decision);
      run.end();
      const text = `${withLosses(change(run.lines), cuts).join('\n')}\n`;
      const profile = await analyzeText(text, { extend: false, tailCalls: 'replace' });
      const truth = ofRoots(run.selfNs);
      for (const { path, selfNs, inferredNs } of pathsOf(profile)) {
        if (path.endsWith(']')) continue; // lost, or stopped
        totalNs += selfNs;
        wrongNs += Math.max(0, selfNs - inferredNs - (truth.get(path.replaceAll(/sw\b/g, 'swapcontext')) ?? 0));
      }
    }
    expect((100 * wrongNs) / totalNs).toBeLessThan(0.2);
  });
});

describe('the slow twin agrees', () => {
  const ends = ['return', 'jmp', 'hidden'] as const;
  const styles = (['swapcontext', 'sw'] as const).flatMap((switcher) =>
    ends.flatMap((end) => [false, true].map((areAlike): FiberStyle => ({ switcher, end, areAlike }))),
  );
  test.each(styles)('switches by $switcher, which ends in $end; all alike: $areAlike', async (style) => {
    const variants = fc.record({
      tailCalls: fc.constantFrom<TailCalls>('nest', 'replace'),
      fibers: fc.constantFrom<Fibers>('root', 'nest'),
    });
    const cuts = fc.array(fiberLoss, { maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(fiberSteps, cuts, variants, async (steps, losses, how) => {
        const trace = await threadsOfInput(inputOf(new FiberProgram(style, steps).text(losses)));
        for (const thread of trace.threads) expectSameInTwin(trace, thread, { ...how, extendTo: null });
      }),
      { numRuns: times(15) },
    );
  });
});

describe('fibers that migrate, finish and are dropped, with tail calls, exceptions and signals', () => {
  const named = 'swapcontext';
  const nameless = 'sw';
  /** The last two: a program that switches once in its whole trace may as well have made a tail call. */
  test.each<[string, number, number, FiberStyle]>([
    ['a name says which function switches', 0, 0.05, { switcher: named, end: 'return', areAlike: false }],
    ['it ends in a jump, and all fibers run the same', 0.05, 0.05, { switcher: named, end: 'jmp', areAlike: true }],
    ['no event shows where it leads', 0.15, 0.15, { switcher: named, end: 'hidden', areAlike: true }],
    ['no name says which function switches', 0.05, 0.05, { switcher: nameless, end: 'return', areAlike: true }],
    ['nor does it return', 0.9, 1.1, { switcher: nameless, end: 'jmp', areAlike: false }],
    ['neither a name nor an event shows it', 0.85, 1, { switcher: nameless, end: 'hidden', areAlike: true }],
  ])('%s: at most %s %% wrong without a mark, or %s %% with losses', async (_, most, mostWithLosses, style) => {
    for (const [maxLosses, limit] of [
      [0, most],
      [3, mostWithLosses],
    ] as const) {
      let [totalNs, wrongNs] = [0, 0];
      const programs = fc.tuple(fiberSteps, fc.array(fiberLoss, { maxLength: maxLosses }));
      for (const [steps, cuts] of fc.sample(programs, { numRuns: times(240), seed: 5 })) {
        const program = new FiberProgram(style, steps);
        const profile = await analyzeText(program.text(cuts), { extend: false, tailCalls: 'replace' });
        const truth = withoutStops(program.selfNs);
        const shown = pathsOf(profile).filter(({ path }) => !path.endsWith('[lost]'));
        const selfNs = withoutStops(shown.map((row) => [row.path, row.selfNs] as const));
        const markedNs = withoutStops(shown.map((row) => [row.path, row.inferredNs] as const));
        for (const [path, ns] of selfNs) {
          totalNs += ns;
          wrongNs += Math.max(0, ns - (markedNs.get(path) ?? 0) - (truth.get(path) ?? 0));
        }
      }
      expect((100 * wrongNs) / totalNs, `${maxLosses} losses`).toBeLessThanOrEqual(limit);
    }
  });
});

/** Time in stops counts for the function that stopped. */
function withoutStops(selfNs: Iterable<readonly [string, number]>): Map<string, number> {
  const sums = new Map<string, number>();
  for (const [path, ns] of selfNs) {
    const own = path.replace(/;\[[^;]*$/, '');
    sums.set(own, (sums.get(own) ?? 0) + ns);
  }
  return sums;
}

interface PathTime {
  readonly path: string;
  readonly selfNs: number;
  readonly inferredNs: number;
}

function pathsOf({ threads, symbols }: Profile): PathTime[] {
  return threads.flatMap(({ tree }) => {
    const paths: string[] = [];
    return Array.from({ length: tree.length }, (_, node) => {
      const name = symbols.name[tree.symbol[node]] ?? '';
      paths.push([paths[tree.parent[node]], name].filter(Boolean).join(';'));
      return { path: paths[node] as string, selfNs: tree.selfNs[node], inferredNs: tree.inferredNs[node] };
    });
  });
}

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

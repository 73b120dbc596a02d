/**
 * Inlined code adds frames between a function and what it calls, and changes nothing else.
 */
import { readdirSync } from 'node:fs';
import fc from 'fast-check';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { Random } from '../../fuzz/random.js';
import { filterThread } from '../../src/analysis/log/filter-thread.js';
import { type CallTree, CallTreeBuilder, ROOT, withoutEmptyNodes } from '../../src/model/calls/call-tree.js';
import type { BranchSites } from '../../src/model/trace/branch-sites.js';
import { NONE, type SymbolId } from '../../src/model/units.js';
import { analyze } from '../../src/pipeline/analyze.js';
import type { InlinedCode } from '../../src/replay/functions/site-facts.js';
import { KnownPaths } from '../../src/replay/losses/known-paths.js';
import { Replayer } from '../../src/replay/replayer.js';
import { SkeletonBuilder } from '../../src/replay/skeleton.js';
import type { TailCalls } from '../../src/replay/stack/frame.js';
import type { ThreadReplay } from '../../src/replay/thread-replay.js';
import { jsonOf } from '../helpers/checks/files/profile-file.js';
import { expectSameInModule } from '../helpers/checks/same-in-module.js';
import { FiberRun, fiberDecisions } from '../helpers/random/fiber-run.js';
import { jumpingRun } from '../helpers/random/jumping-run.js';
import { inlinedTrace } from '../helpers/traces/inlined-trace.js';
import { inputOf } from '../helpers/traces/load.js';
import { type TraceThreads, threadsOfBeginning, threadsOfInput } from '../helpers/traces/threads-of.js';
import { traceOf } from '../helpers/traces/trace-of.js';

const SEED = 19;
const RUNS = 20;
/** Functions that are inlined somewhere. */
const INLINED = 5;

/** Adds up to three inlined functions at each site that is not a return; which ones depends on the address. */
function inlinedCode({ sites, symbols }: TraceThreads, chainAt = anyChain): InlinedCode {
  const listed: number[] = [];
  const chain = Int32Array.from({ length: sites.length }, (_, site) => {
    const functions = chainAt(sites, site);
    if (functions.length === 0) return NONE;
    return listed.push(...functions.map((fn) => symbols.length + fn), NONE) - functions.length - 1;
  });
  const isInlined = new Uint8Array(symbols.length + INLINED).fill(1, symbols.length);
  return { chain, symbols: Int32Array.from(listed), isInlined };
}

function anyChain({ from }: BranchSites, site: number): number[] {
  const number = Math.abs(from[site] % 23);
  return Array.from({ length: number % 4 }, (_, depth) => (number + 3 * depth) % INLINED);
}

/** Takes inlined functions out of a tree: what they called was called by the functions around them. */
function withoutInlined(tree: CallTree, { isInlined }: InlinedCode): CallTree {
  const builder = new CallTreeBuilder();
  const here = new Int32Array(tree.length);
  for (let node = ROOT; node < tree.length; node++) {
    const isFrame = node !== ROOT && isInlined[tree.symbol[node]] === 1;
    if (isFrame) expect([tree.calls[node], tree.selfNs[node]]).toEqual([0, 0]);
    const below = here[tree.parent[node]];
    here[node] = node === ROOT ? ROOT : isFrame ? below : builder.child(below, tree.symbol[node]);
    builder.addTime(here[node], tree, node);
    builder.addCalls(here[node], tree, node);
  }
  return builder.build();
}

/** Returns the paths of a tree with their numbers, in any order of nodes. */
function pathsIn({ length, parent, symbol, calls, selfNs, completeNs }: CallTree): string[] {
  const paths = [''];
  for (let node = ROOT + 1; node < length; node++) paths[node] = `${paths[parent[node]]} ${symbol[node]}`;
  return paths.map((path, node) => `${path}: ${calls[node]} ${selfNs[node]} ${completeNs[node]}`).sort();
}

/** What must not change, with and without inlined functions. */
function comparable({ log, tree, paths, ...rest }: ThreadReplay, inlined: InlinedCode) {
  const filter = { window: null, inside: [], root: null, foldsRecursion: false };
  const ofLog = log && pathsIn(withoutInlined(filterThread(log, tree, filter).tree, inlined));
  const { length } = paths; // columns may be longer
  const ofPaths = { parent: paths.parent.subarray(0, length), symbol: paths.symbol.subarray(0, length) };
  return { ...rest, ofPaths, tree: withoutEmptyNodes(withoutInlined(tree, inlined)), ofLog };
}

function expectSameWithout(trace: TraceThreads, name: string): void {
  const inlined = inlinedCode(trace);
  const facts = { ...trace.facts, inlined };
  expectSameInModule({ ...trace, facts }, name);
  const plain = new Replayer(trace.facts);
  const withFrames = new Replayer(facts);
  const replay = (tailCalls: TailCalls, knownPaths: KnownPaths | null) =>
    trace.threads.map(({ events, createdInside }) => {
      const options = { tailCalls, extendTo: trace.bounds, createdInside, knownPaths, wantsLog: true };
      const expected = plain.replay(events, options);
      const replayed = withFrames.replay(events, options);
      expect(comparable(replayed, inlined), name).toEqual(comparable(expected, inlined));
      return expected;
    });
  for (const tailCalls of ['nest', 'replace'] as const) replay(tailCalls, new KnownPaths(replay(tailCalls, null)));
}

describe('without inlined functions, all is as before', { timeout: 60_000 }, () => {
  test.each(['lab', 'constructed', 'demo'])('fixtures of %s', async (folder) => {
    const files = readdirSync(`fixtures/${folder}`).filter((name) => /\.txt(?:\.gz)?$/.test(name));
    for (const file of files) expectSameWithout(await threadsOfBeginning(`fixtures/${folder}/${file}`), file);
  });

  test('fibers', async () => {
    for (const list of fc.sample(fiberDecisions, { numRuns: 30, seed: SEED })) {
      const run = new FiberRun();
      for (const decision of list) run.decide(decision);
      run.end();
      expectSameWithout(await threadsOfInput(inputOf(`${run.lines.join('\n')}\n`)), run.lines.join('\n'));
    }
  });

  test('random runs', async () => {
    for (let number = 0; number < RUNS; number++) {
      const run = jumpingRun(new Random(SEED, number), 20 + 10 * (number % 20));
      expectSameWithout(await threadsOfInput(inputOf(traceOf(run))), `run ${number}:\n${run}`);
    }
  });
});

/** Returns the call paths of a trace with calls or time; functions inlined at sites that come from f are g, in it h. */
async function pathsOf(shorthand: string): Promise<string[]> {
  const trace = await threadsOfInput(inputOf(traceOf(shorthand)));
  const { symbols, threads } = trace;
  const ofF = symbols.name.indexOf('f');
  const inlined = inlinedCode(trace, (sites, site) => (sites.fromSymbol[site] === ofF ? [0, 1] : []));
  const nameOf = (symbol: SymbolId) => symbols.name[symbol] ?? ['(g)', '(h)'][symbol - symbols.length];
  return threads.flatMap(({ events }) => {
    const options = { tailCalls: 'nest', extendTo: null, createdInside: false, knownPaths: null } as const;
    const { tree } = new Replayer({ ...trace.facts, inlined }).replay(events, options);
    const paths = [''];
    for (let node = ROOT + 1; node < tree.length; node++)
      paths[node] = `${paths[tree.parent[node]]} ${nameOf(tree.symbol[node])}`;
    return paths.filter((_, node) => tree.calls[node] > 0 || tree.selfNs[node] > 0).map((path) => path.trim());
  });
}

describe('inlined functions are between', () => {
  test('a caller and what it calls', async () => {
    expect(
      await pathsOf(`
        10 call   main f
        20 call   f    x
        30 return x    f
        40 return f    main`),
    ).toEqual(['main', 'main f', 'main f (g) (h) x']);
  });

  test('a caller and what a stub leads to', async () => {
    expect(
      await pathsOf(`
        10 call   main  f
        20 call   f     x@plt
        30 call   x     y
        40 return y     x
        50 return x     f
        60 return f     main`),
    ).toEqual(['main', 'main f', 'main f (g) (h) x', 'main f (g) (h) x y']);
  });

  test('a function and what it jumps to', async () => {
    expect(
      await pathsOf(`
        10 call   main f
        20 jmp    f    x
        30 call   x    y
        40 return y    x
        50 return x    main`),
    ).toEqual(['main', 'main f', 'main f (g) (h) x', 'main f (g) (h) x y']);
  });

  test('a function and a system call', async () => {
    expect(
      await pathsOf(`
        10 call            main f
        20 tr end  syscall f
        30 tr strt         f
        40 return          f    main`),
    ).toEqual(['main', 'main f', 'main f (g) (h) [syscall]']);
  });
});

describe('of a window', () => {
  afterEach(() => {
    vi.restoreAllMocks();
  });

  test('they are those of the whole replay', async () => {
    const window = { from: { afterStartNs: 40_005 }, to: { afterStartNs: 40_125 } };
    const inlined = (_: string, code: readonly { readonly offset: number }[]) =>
      code.map(({ offset }) => (offset % 3 === 0 ? [] : [`g${offset % 3}`, `h${offset}`]));
    const answer = async () => {
      const reduce = vi.spyOn(SkeletonBuilder.prototype, 'reduce');
      const profile = await analyze([inputOf(inlinedTrace(500))], { window, inlined });
      return [jsonOf(profile), reduce.mock.results.map(({ value }) => value !== null)] as const;
    };
    const [ofSkeleton, isReduced] = await answer();
    expect(isReduced).toEqual([true]);
    expect(ofSkeleton).toContain(' (inlined)');
    vi.spyOn(SkeletonBuilder.prototype, 'reduce').mockReturnValue(null);
    expect((await answer())[0]).toBe(ofSkeleton);
  });
});

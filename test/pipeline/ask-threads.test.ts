/**
 * Compares answers about many moments and intervals with those to single questions: stacks at a moment, a window.
 */
import { describe, expect, test } from 'vitest';
import type { ThreadQuestions } from '../../src/analysis/log/answer-thread.js';
import { functionNodes, type LogAnswers, nodesInTree } from '../../src/analysis/log/join-answers.js';
import { UNBOUNDED } from '../../src/analysis/questions.js';
import { isStop } from '../../src/analysis/tree/outside.js';
import { type AnalyzeOptions, analyze, type Profile, renderJson } from '../../src/index.js';
import type { Shape } from '../../src/model/calls/overlay.js';
import { symbolRanks } from '../../src/model/names/symbol-order.js';
import { NONE } from '../../src/model/units.js';
import { askStacks } from '../../src/pipeline/analyze.js';
import { type AskableTrace, type AskedProfile, askThreads } from '../../src/pipeline/ask-threads.js';
import { beginningOf, inputOf } from '../helpers/traces/load.js';

/** With several threads, losses, waits, threads that are replayed again, and threads with callers that others show. */
const FILES = [
  'truth/gentrace-faults.perf.txt.gz',
  'truth/gentrace-attach.perf.txt.gz',
  'truth/ptemu-threads-faults.perf.txt.gz',
  'truth/ptemu-threads4.perf.txt.gz',
];
const MOMENTS = 5;

type Asked = ReadonlyMap<number, ThreadQuestions>;

/** Asks each thread for what it did at some moments, in overlapping intervals, and for the calls of two functions. */
function questions({ trace, symbols }: AskableTrace): Asked {
  const { startNs, endNs } = trace.store.bounds;
  const part = (share: number) => Math.floor(startNs + share * (endNs - startNs));
  const moments = Float64Array.from({ length: MOMENTS }, (_, row) => part((row + 0.5) / MOMENTS));
  const intervals = { fromNs: moments.map((ns) => ns - (ns - startNs) / 2), toNs: moments.map((ns) => ns + 50_000) };
  const functions = Uint8Array.from({ length: symbols.length }, (_, symbol) => (symbol % 3 === 0 ? 1 : 0));
  const each: ThreadQuestions = {
    nodesAt: moments,
    treesOver: { fromNs: intervals.fromNs.map(Math.floor), toNs: intervals.toNs, key: Int32Array.of(4, 3, 2, 1, 0) },
    spans: { calls: { functions, durations: null }, window: UNBOUNDED },
    spanTrees: { ...intervals, minNs: 1000 },
  };
  return new Map(trace.store.tids.map((tid) => [tid, each]));
}

interface Answered extends AskedProfile {
  readonly asked: Asked;
  /** The same, asked again. */
  readonly again: LogAnswers;
}

function ask(file: string, options: AnalyzeOptions = {}): Promise<Answered> {
  return askThreads([inputOf(beginningOf(file))], options, async (trace) => {
    const asked = questions(trace);
    const replayed = await trace.replay(asked);
    return { ...replayed, asked, again: await trace.ask(asked) };
  });
}

describe.each(FILES)('%s', (file) => {
  test('the nodes at moments are the stacks of these moments', async () => {
    const { answers, profile, shiftNs, asked } = await ask(file);
    const paths = namedPaths(answers.paths, profile);
    const moments = [...asked.values()][0]?.nodesAt ?? [];
    for (const [row, ns] of moments.entries()) {
      const { stacks } = await askStacks([inputOf(beginningOf(file))], {
        afterStartNs: ns - shiftNs - profile.meta.startNs,
      });
      const nodes = [...answers.threads].map(([tid, { nodesAt }]) => [tid, nodesAt?.node[row] ?? NONE] as const);
      expect(nodes.filter(([, node]) => node !== NONE).map(([tid, node]) => [tid, paths[node]])).toEqual(
        stacks.map(({ tid, frames }) => [tid, frames.map(({ symbol }) => profile.symbols.name[symbol]).join(';')]),
      );
    }
  });

  test('the time over an interval is that of a window', async () => {
    const { answers, profile, shiftNs, asked } = await ask(file);
    const paths = namedPaths(answers.paths, profile);
    const { fromNs, toNs, key } = [...asked.values()][0]?.treesOver ?? { fromNs: [], toNs: [], key: [] };
    for (const [row, ns] of fromNs.entries()) {
      const at = (moment: number) => ({ afterStartNs: moment - shiftNs - profile.meta.startNs });
      const window = { from: at(ns), to: at(toNs[row]) };
      const { threads } = await analyze([inputOf(beginningOf(file))], { window });
      const expected = threads.flatMap(({ tid, tree }) => {
        const names = namedPaths(tree, profile);
        return Array.from(tree.selfNs, (ns, node) => ({
          path: `${tid} ${names[node]}`,
          ns,
          inferredNs: tree.inferredNs[node],
        }));
      });
      const real = [...answers.threads].flatMap(([tid, { treesOver }]) =>
        Array.from(treesOver?.node ?? [], (node, at) => ({
          ...{ path: `${tid} ${paths[node]}`, ns: treesOver?.ns[at], inferredNs: treesOver?.inferredNs[at] },
          key: treesOver?.key[at],
        })),
      );
      const ofKey = real.filter((each) => each.key === key[row]).map(({ key: _, ...rest }) => rest);
      expect(byPath(ofKey)).toEqual(byPath(expected.filter((each) => each.ns > 0)));
    }
  });

  test('the profile and the answers do not depend on the questions, the selection, or when they are asked', async () => {
    const { profile, answers, again } = await ask(file);
    expect([...renderJson(profile)].join('')).toBe(
      [...renderJson(await analyze([inputOf(beginningOf(file))]))].join(''),
    );
    expect(again).toEqual(answers);
    const window = { from: { afterStartNs: 1000 }, to: { afterStartNs: 2000 } };
    const root = profile.symbols.name[profile.threads[0]?.tree.symbol[1] ?? 0] as string;
    for (const options of [{ window }, { root }, { trees: 'together' }] as const) {
      const selected = await ask(file, options);
      expect(selected.answers).toEqual(answers);
      expect(selected.again).toEqual(answers);
    }
  });

  test('nodes of answers are found in the trees of the profile', async () => {
    const { profile, answers } = await ask(file);
    const rank = symbolRanks(profile.symbols);
    const paths = namedPaths(answers.paths, profile);
    for (const { tid, tree } of profile.threads) {
      const names = namedPaths(tree, profile);
      const nodes = nodesInTree(answers.paths, tree, rank);
      const own = answers.threads.get(tid)?.treesOver?.node ?? [];
      expect(own.length).toBeGreaterThan(0);
      for (const node of own) expect(names[nodes[node]]).toBe(paths[node]);
      expect(Array.from(nodes).filter((node) => node === NONE).length).toBe(
        paths.filter((path) => !names.includes(path)).length,
      );
    }
    functionNodes(answers.paths).forEach((below, node) => {
      const stops = answers.paths.symbol.map((symbol) => (isStop(symbol) ? 1 : 0));
      const path = paths[node]
        .split(';')
        .slice(0, stops[node] ? -1 : undefined)
        .join(';');
      if (!stops[node] || !stops[answers.paths.parent[node]]) expect(paths[below]).toBe(path);
    });
  });
});

/** Names from the outermost function on. */
function namedPaths({ parent, symbol }: Shape, { symbols }: Profile): string[] {
  const paths = [''];
  for (let node = 1; node < symbol.length; node++)
    paths.push([...(parent[node] === 0 ? [] : [paths[parent[node]]]), symbols.name[symbol[node]]].join(';'));
  return paths;
}

function byPath<Row extends { readonly path: string }>(rows: readonly Row[]): Row[] {
  return rows.toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

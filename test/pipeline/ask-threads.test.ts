/**
 * Compares answers about many moments and intervals with those to single questions: stacks at a moment, a window.
 */

import { describe, expect, test, vi } from 'vitest';
import type { ThreadQuestions } from '../../src/analysis/log/answer-thread.js';
import { functionNodes, type LogAnswers } from '../../src/analysis/log/answer-thread.js';
import { isStop } from '../../src/analysis/tree/outside.js';
import { type AnalyzeOptions, analyze, type Profile, renderJson } from '../../src/index.js';
import { CallOp } from '../../src/model/calls/call-log.js';
import type { CallTree } from '../../src/model/calls/call-tree.js';
import type { Shape } from '../../src/model/calls/overlay.js';
import { NONE, UNBOUNDED } from '../../src/model/units.js';
import { askStacks } from '../../src/pipeline/analyze.js';
import {
  type AskableTrace,
  type AskedProfile,
  askLogs,
  askThreads,
  logLimitsOf,
} from '../../src/pipeline/ask-threads.js';
import { answerFromLog, type KeptLog, keptLog } from '../../src/pipeline/replay/trace-replayer.js';
import { WorkerPool } from '../../src/pipeline/workers/worker-pool.js';
import type { StoredThreads } from '../../src/trace/stored-threads.js';
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
  /** How many threads were replayed for that. */
  readonly replayedAgain: number;
}

function ask(file: string, options: AnalyzeOptions = {}, keepsLogs = false): Promise<Answered> {
  return askThreads([inputOf(beginningOf(file))], options, async (trace) => {
    const asked = questions(trace);
    const replayed = await trace.replay(asked, keepsLogs);
    const load = vi.spyOn(trace.trace.store, 'threadSource');
    const again = await trace.ask(asked);
    return { ...replayed, asked, again, replayedAgain: load.mock.calls.length };
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

  test('kept logs give the same answers without a replay', async () => {
    const { answers, replayedAgain } = await ask(file);
    expect(replayedAgain).toBe(answers.threads.size);
    const window = { from: { afterStartNs: 1000 }, to: { afterStartNs: 2000 } };
    for (const options of [{}, { window }]) {
      const kept = await ask(file, options, true);
      expect(kept.again).toEqual(answers);
      expect(kept.replayedAgain).toBe(0);
    }
  });

  test('the function on top of a call path is the path without its stops', async () => {
    const { profile, answers } = await ask(file);
    const paths = namedPaths(answers.paths, profile);
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

test('threads are replayed for what their kept logs lack: other threads, and time outside of the window', async () => {
  const input = inputOf(beginningOf(FILES[2]));
  const window = { from: { afterStartNs: 100_000 }, to: { afterStartNs: 200_000 } };
  await askThreads([input], { window }, async (trace) => {
    const [tid, other] = trace.trace.store.tids;
    const { startNs } = trace.trace.store.bounds;
    const atNs = (ns: number): ThreadQuestions => {
      return { nodesAt: Float64Array.of(startNs + ns), treesOver: null, spans: null, spanTrees: null };
    };
    await trace.replay(new Map([[tid, atNs(150_000)]]), true);
    const load = vi.spyOn(trace.trace.store, 'threadSource');
    for (const [asked, replays] of [
      [new Map([[tid, atNs(199_000)]]), 0],
      [new Map([[tid, atNs(300_000)]]), 1],
      [new Map([[tid, atNs(50_000)]]), 1],
      [new Map([tid, other].map((each) => [each, atNs(150_000)])), 1],
    ] as const) {
      load.mockClear();
      await trace.ask(asked);
      expect(load).toHaveBeenCalledTimes(replays);
    }
  });
});

test('logs are kept of the threads that fit into the memory', () => {
  const events = [100_000, 1_000_000, 50_000, 100_000];
  const store = { eventCount: (tid: number) => events[tid] } as unknown as StoredThreads;
  expect([...logLimitsOf([0, 1, 2, 3], store, 3_000_000).keys()]).toEqual([0, 2]);
  const [log] = [...logLimitsOf([0], store, 3_000_000).values()];
  expect(log).toBeGreaterThan(6 * 100_000);
  expect(log).toBeLessThan(3_000_000);
});

test('a log is kept up to its limit: 6 bytes a row, 8 a far time, and 8 a path', () => {
  const columns = { sinceNs: new Uint16Array(10), farNs: Float64Array.of(7), code: new Int32Array(10) };
  const log = { length: 10, endNs: 7, ...columns };
  const paths = { length: 3, parent: Int32Array.of(NONE, 0, 1), symbol: Int32Array.of(NONE, 7, 8) };
  expect(keptLog(log, paths as CallTree, 91)).toBeNull();
  expect(keptLog(log, paths as CallTree, 92)).toEqual({ log, paths });
});

test('workers that are awake read long logs', async () => {
  const rows = 600_000;
  const log = {
    length: rows,
    endNs: rows - 1,
    sinceNs: new Uint16Array(rows).fill(1, 1),
    farNs: new Float64Array(0),
    code: new Int32Array(rows),
  };
  log.code.fill(CallOp.Charge, 1);
  const paths = { length: 1, parent: Int32Array.of(NONE), symbol: Int32Array.of(NONE) };
  const kept: KeptLog = { log, paths };
  const questions = { nodesAt: Float64Array.of(5, rows), treesOver: null, spans: null, spanTrees: null };
  const pool = new WorkerPool(2);
  const run = vi.spyOn(pool, 'run').mockImplementation(async (_, task) => answerFromLog(task as never) as never);
  const ask = () => askLogs(new Map([[7, kept]]), new Map([[7, questions]]), new Int32Array(0), pool);
  const here = await ask();
  expect(run).not.toHaveBeenCalled();
  pool.isAwake = true;
  expect(await ask()).toEqual(here);
  expect(run).toHaveBeenCalledOnce();
  expect(here.get(7)?.answers.nodesAt?.node).toEqual(Int32Array.of(0, NONE));
  run.mockClear();
  const short: KeptLog = { log: { ...log, length: 2 }, paths };
  const both = new Map([6, 7].map((tid) => [tid, questions]));
  await askLogs(
    new Map([
      [6, short],
      [7, kept],
    ]),
    both,
    new Int32Array(0),
    pool,
  ); // the longest first
  expect(run.mock.calls.map(([, task]) => (task as { kept: KeptLog }).kept.log.length)).toEqual([rows, 2]);
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

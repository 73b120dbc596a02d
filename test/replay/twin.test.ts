/**
 * The fast replay and its plain twin say the same of every fixture.
 */
import { readdirSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { type CallTree, ROOT } from '../../src/model/call-tree.js';
import type { SymbolTable } from '../../src/model/symbol-table.js';
import type { ThreadEvents } from '../../src/model/thread-events.js';
import type { TailCalls } from '../../src/replay/open-frames.js';
import { pairReturns } from '../../src/replay/pair-returns.js';
import { type ReplayOptions, replayThread } from '../../src/replay/replay.js';
import { type SiteFacts, Step } from '../../src/replay/site-facts.js';
import type { StoredThread } from '../../src/store/trace-store.js';
import { type PlainRow, plainReplay } from '../helpers/plain-replay.js';
import { type TraceThreads, threadsOf } from '../helpers/threads-of.js';

const FIXTURES = 'fixtures';
const FOLDERS = ['hardware', 'lab', 'constructed', 'truth', 'demo'];
const TRACE = /\.txt(?:\.gz)?$/;

const files = FOLDERS.flatMap((folder) =>
  readdirSync(`${FIXTURES}/${folder}`)
    .filter((name) => TRACE.test(name))
    .map((name) => `${FIXTURES}/${folder}/${name}`),
);

test('there are fixtures in every folder', () => {
  for (const folder of FOLDERS)
    expect(
      files.some((file) => file.startsWith(`${FIXTURES}/${folder}/`)),
      folder,
    ).toBe(true);
});

/** Losses are not the twin's business: it reads only threads of which nothing is missing. */
const compared = new Map<string, number>();

describe.each(files)('%s', (file) => {
  let trace: TraceThreads;
  let whole: readonly StoredThread[];
  beforeAll(async () => {
    trace = await threadsOf(file);
    whole = trace.threads.filter(({ events }) => isWhole(events, trace.facts));
    compared.set(file, whole.length);
  });

  test.each(variants())('$tailCalls, $extend', ({ tailCalls, extend }) => {
    for (const thread of whole) compare(trace, thread, tailCalls, extend);
  });
});

test('most threads are compared', () => {
  expect(compared).toBe(0)
});

function variants(): { tailCalls: TailCalls; extend: 'extended' | 'as seen' }[] {
  return (['nest', 'replace'] as const).flatMap((tailCalls) =>
    (['extended', 'as seen'] as const).map((extend) => ({ tailCalls, extend })),
  );
}

/** One segment, or one for each program that the thread ran. */
function isWhole(events: ThreadEvents, facts: SiteFacts): boolean {
  const { segments } = pairReturns(events, facts);
  const stepsBetween = segments
    .slice(1)
    .map(({ firstRow }, index) => Array.from(events.site.subarray(segments[index]?.endRow, firstRow), (site) => facts.step[site]));
  return stepsBetween.every((steps) => steps.includes(Step.Exec) && !steps.includes(Step.Gap));
}

function compare(
  { facts, symbols, bounds }: TraceThreads,
  { events, isCreatedInside }: StoredThread,
  tailCalls: TailCalls,
  extend: 'extended' | 'as seen',
): void {
  const extendTo = extend === 'extended' ? bounds : null;
  const options: ReplayOptions = { tailCalls, extendTo, isCreatedInside, contexts: null };
  const { startNs, endNs, inferred, lost, tree } = replayThread(events, facts, options);
  const plain = plainReplay(events, facts, symbols, options);
  expect({ startNs, endNs, inferred, lost, rows: rowsOf(tree, symbols) }, `thread ${events.tid}`).toEqual(plain);
}

/** The nodes of a tree by their paths of names. */
function rowsOf(tree: CallTree, symbols: SymbolTable): PlainRow[] {
  const paths: string[][] = [[]];
  const rows = new Map<string, PlainRow>();
  for (let node = ROOT + 1; node < tree.length; node++) {
    const path = [...(paths[tree.parent[node]] as string[]), symbols.name[tree.symbol[node]] as string];
    paths.push(path);
    const key = path.join('\0');
    rows.set(key, sum(rows.get(key), { path, ...numbersOf(tree, node) }));
  }
  return [...rows].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
}

function numbersOf({ calls, inferredCalls, selfNs, completeNs, minNs, maxNs }: CallTree, node: number) {
  return {
    calls: calls[node],
    inferredCalls: inferredCalls[node],
    selfNs: selfNs[node],
    completeNs: completeNs[node],
    minNs: minNs[node],
    maxNs: maxNs[node],
  };
}

/** Two functions of one name, in different files, are one path. */
function sum(a: PlainRow | undefined, b: PlainRow): PlainRow {
  if (a === undefined) return b;
  return {
    path: a.path,
    calls: a.calls + b.calls,
    inferredCalls: a.inferredCalls + b.inferredCalls,
    selfNs: a.selfNs + b.selfNs,
    completeNs: a.completeNs + b.completeNs,
    minNs: Math.min(a.minNs, b.minNs),
    maxNs: Math.max(a.maxNs, b.maxNs),
  };
}

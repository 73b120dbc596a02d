/**
 * The results for each text fixture, kept as files: folded stacks, quality, and the replay step by step.
 *
 * `npm run bless` rewrites the files; changes to them are reviewed like code.
 */

import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { analyze, openTraceFile, type Profile, PtflameError, renderSvg } from '../src/index.js';
import { Inference, UNWOUND } from '../src/model/profile/profile.js';
import type { SymbolTable } from '../src/model/symbol-table.js';
import { BranchKind, type BranchSites, recordSite, TraceEdge } from '../src/model/trace/branch-sites.js';
import type { ThreadEvents } from '../src/model/trace/thread-events.js';
import { NONE, type SymbolId } from '../src/model/units.js';
import { untilExit } from '../src/pipeline/replay/trace-replayer.js';
import { KnownPaths } from '../src/replay/losses/known-paths.js';
import { pairThread } from '../src/replay/pairing/pair-thread.js';
import { replayThread } from '../src/replay/replayer.js';
import type { FrameWatcher } from '../src/replay/stack/frame.js';
import type { ThreadReplay } from '../src/replay/thread-replay.js';
import type { LoadedThread } from '../src/trace/load-thread.js';
import { fold } from './helpers/traces/load.js';
import { columnsOf, threadEvents } from './helpers/traces/thread-events.js';
import { type TraceThreads, threadsOf } from './helpers/traces/threads-of.js';

const FIXTURES = 'fixtures';
const FOLDERS = ['hardware', 'lab', 'constructed', 'damaged'];
const GOLDEN = 'test/golden';
const IS_GOLDEN = new RegExp(`^(?:${FOLDERS.join('|')})-.*\\.(?:folded|quality\\.json|replay\\.txt|svg)$`);
/** Pictures are large, so only two are kept. */
const WITH_PICTURE = ['hardware-kernel-hwint-syscall', 'hardware-overflow-memmove'];
const isBlessing = !!process.env['BLESS'];

const fixtures = FOLDERS.flatMap((folder) =>
  readdirSync(`${FIXTURES}/${folder}`)
    .filter((file) => file.endsWith('.txt'))
    .map((file) => ({ name: `${folder}-${file.slice(0, -'.txt'.length)}`, path: `${FIXTURES}/${folder}/${file}` })),
);
if (isBlessing) for (const file of goldenFiles()) rmSync(`${GOLDEN}/${file}`);
const goldens = goldenFiles();

function goldenFiles(): string[] {
  return readdirSync(GOLDEN).filter((file) => IS_GOLDEN.test(file));
}

describe.each(fixtures)('$name', ({ name, path }) => {
  test('matches its golden files', async () => {
    const texts = await textsOf(path, WITH_PICTURE.includes(name));
    const wanted = Object.keys(texts).map((kind) => `${name}.${kind}`);
    if (isBlessing) for (const [kind, text] of Object.entries(texts)) writeFileSync(`${GOLDEN}/${name}.${kind}`, text);
    else expect(goldens.filter((file) => file.startsWith(`${name}.`)).sort(), 'npm run bless').toEqual(wanted);
    for (const [kind, text] of Object.entries(texts))
      expect(text, kind).toBe(readFileSync(`${GOLDEN}/${name}.${kind}`, 'utf8'));
  });
});

test('every golden file has a fixture', () => {
  const orphans = goldens.filter((file) => !fixtures.some(({ name }) => file.startsWith(`${name}.`)));
  expect(orphans).toEqual([]);
});

/** By the suffix of the golden file, in this order. A refused input has no quality, and no replay if it has no threads. */
async function textsOf(path: string, withPicture: boolean): Promise<Record<string, string>> {
  const profile = await profileOrRefusal(path);
  const trace = await threadsOf(path);
  const replay = trace.threads.length > 0 ? { 'replay.txt': replayText(trace) } : {};
  if (profile instanceof PtflameError)
    return { folded: `refused: ${profile.code}\n${profile.message}\n${profile.hint}\n`, ...replay };
  const quality = `${JSON.stringify(profile.quality, null, 2)}\n`;
  const picture = withPicture ? { svg: withoutScript([...renderSvg(profile)].join('')) } : {};
  return { folded: fold(profile, { annotate: true }), 'quality.json': quality, ...replay, ...picture };
}

/** The script is a bundle, and not the subject of these files. */
function withoutScript(svg: string): string {
  return svg.replace(/<script>.*<\/script>/s, '<script></script>');
}

async function profileOrRefusal(path: string): Promise<Profile | PtflameError> {
  try {
    return await analyze([await openTraceFile(path)]);
  } catch (error) {
    if (error instanceof PtflameError) return error;
    throw error;
  }
}

/** Each thread's events as parsed, each followed by the frames that it opens and closes. */
function replayText(trace: TraceThreads): string {
  return keptReplays(trace)
    .map((kept) => `${threadLines(trace, kept).join('\n')}\n`)
    .join('\n');
}

interface LoggedReplay {
  readonly thread: LoadedThread;
  readonly replay: ThreadReplay;
  readonly log: FrameLog;
  readonly head: string;
}

/** Like `analyze`: all threads once, then those with unconfirmed paths again, with the paths seen in all threads. */
function keptReplays(trace: TraceThreads): LoggedReplay[] {
  const first = trace.threads.map((thread) => logReplay(trace, thread, null));
  const knownPaths = new KnownPaths(first.map(({ replay }) => replay));
  return first.map((kept) => {
    if (kept.replay.hasUnconfirmedPaths) return logReplay(trace, kept.thread, knownPaths);
    const below = knownPaths.callersBelow(kept.replay.firstStack).map((symbol) => trace.symbols.name[symbol]);
    return below.length === 0 ? kept : { ...kept, head: `${kept.head}, on ${below.join(';')}` };
  });
}

function logReplay({ facts, symbols, bounds }: TraceThreads, thread: LoadedThread, knownPaths: KnownPaths | null) {
  const { events, createdInside, exitNs } = thread;
  const endRow = pairThread(events, facts).segments.at(-1)?.endRow ?? 0;
  const log = new FrameLog(symbols, endRow);
  const options = {
    tailCalls: 'nest',
    extendTo: untilExit(bounds, exitNs),
    createdInside,
    knownPaths,
    watcher: log,
  } as const;
  const replay = replayThread(withEnd(events, endRow), facts, options);
  return { thread, replay, log, head: `thread ${events.tid}${knownPaths ? ', replayed twice' : ''}` };
}

/** A switch-in after the last branch changes no frame: what is closed after it is closed by the end of the trace. */
function withEnd(events: ThreadEvents, endRow: number): ThreadEvents {
  const { site, timeNs } = columnsOf(events);
  return threadEvents(
    events.tid,
    site.toSpliced(endRow, 0, recordSite(BranchKind.SwitchIn)),
    timeNs.toSpliced(endRow, 0, timeNs[Math.max(0, endRow - 1)]),
  );
}

/** Lines about frames, by the row of the event that changed them. */
class FrameLog implements FrameWatcher {
  readonly endRow: number;
  private readonly symbols: SymbolTable;
  private readonly lines = new Map<number, string[]>();
  private row = 0;

  constructor(symbols: SymbolTable, endRow: number) {
    this.symbols = symbols;
    this.endRow = endRow;
  }

  at(row: number): readonly string[] {
    return this.lines.get(row) ?? [];
  }

  atRow(row: number): void {
    this.row = row;
  }

  opened(symbol: SymbolId, depth: number, inference: number): void {
    this.add(depth, `+ ${this.nameOf(symbol)}${whyText(inference)}`);
  }

  closed(symbol: SymbolId, depth: number, inference: number): void {
    this.add(depth, `- ${this.nameOf(symbol)}${whyText(inference)}`);
  }

  renamed(from: SymbolId, to: SymbolId, depth: number): void {
    this.add(depth, `~ ${this.nameOf(from)} → ${this.nameOf(to)}`);
  }

  setAside(symbol: SymbolId, depth: number): void {
    this.add(depth, `< ${this.nameOf(symbol)} (its stack is left)`);
  }

  putBack(symbol: SymbolId, depth: number): void {
    this.add(depth, `> ${this.nameOf(symbol)} (its stack goes on)`);
  }

  private nameOf(symbol: SymbolId): string {
    return shorter(this.symbols.name[symbol], 40);
  }

  private add(depth: number, text: string): void {
    const line = `    ${'  '.repeat(Math.min(depth - 1, 20))}${text}`;
    const lines = this.lines.get(this.row);
    if (lines) lines.push(line);
    else this.lines.set(this.row, [line]);
  }
}

/** Empty if it was seen. */
function whyText(inference: number): string {
  if (inference === UNWOUND) return ' (unwound)';
  const name = Object.entries(Inference).find(([, value]) => value === inference)?.[0];
  return name === undefined ? '' : ` (${name})`;
}

function threadLines(trace: TraceThreads, { thread: { events, gaps }, log, head }: LoggedReplay): string[] {
  const errors = gaps.map(({ code, message }) => `error code ${code}: ${message}`);
  const lines = [head];
  for (let row = 0; row < events.length; row++) {
    lines.push(`${clock(trace, events.timeAt(row))}  ${eventText(trace, events.siteAt(row), errors)}`);
    if (row !== log.endRow) lines.push(...log.at(row));
  }
  return [...lines, 'end', ...log.at(log.endRow)];
}

/** perf's clock, to the nanosecond. */
function clock({ originSeconds }: TraceThreads, timeNs: number): string {
  if (originSeconds === null) return '-';
  const ns = BigInt(originSeconds) * 1_000_000_000n + BigInt(timeNs);
  return `${ns / 1_000_000_000n}.${String(ns % 1_000_000_000n).padStart(9, '0')}`;
}

const RECORDS: Readonly<Record<number, string>> = {
  [BranchKind.SwitchOut]: 'switch out',
  [BranchKind.PreemptOut]: 'switch out, preempted',
  [BranchKind.SwitchIn]: 'switch in',
  [BranchKind.Exec]: 'exec',
};
const KINDS: Readonly<Record<number, string>> = {
  [BranchKind.Call]: 'call',
  [BranchKind.Return]: 'return',
  [BranchKind.Jump]: 'jmp',
  [BranchKind.Syscall]: 'syscall',
  [BranchKind.Sysret]: 'sysret',
  [BranchKind.Interrupt]: 'int',
  [BranchKind.Iret]: 'iret',
  [BranchKind.Async]: 'async',
  [BranchKind.TxAbort]: 'tx abrt',
  [BranchKind.VmEntry]: 'vmentry',
  [BranchKind.VmExit]: 'vmexit',
};
const EDGES: Readonly<Record<number, string>> = {
  [TraceEdge.Begin]: 'tr strt ',
  [TraceEdge.End]: 'tr end ',
  [TraceEdge.BeginAndEnd]: 'tr strt tr end ',
};

/** `errors`: perf's errors, one for each gap. */
function eventText({ sites, symbols }: TraceThreads, site: number, errors: string[]): string {
  const kind = sites.kind[site];
  if (kind === BranchKind.Gap) return errors.shift() ?? 'error';
  const record = RECORDS[kind];
  if (record !== undefined) return record;
  const flags = `${EDGES[sites.edge[site]] ?? ''}${KINDS[kind] ?? ''}`.trim().padEnd(15);
  return `${flags} ${placeText(sites, symbols, site, 'from')} => ${placeText(sites, symbols, site, 'to').trimEnd()}`;
}

function placeText(sites: BranchSites, symbols: SymbolTable, site: number, end: 'from' | 'to'): string {
  const [address, start, symbol] = [sites[end][site], sites[`${end}Start`][site], sites[`${end}Symbol`][site]];
  const hex = BigInt.asUintN(64, BigInt(address)).toString(16).padStart(16);
  if (symbol === NONE) return `${hex} ${'-'.padEnd(34)}`;
  const offset = Number.isNaN(start) ? '' : `+0x${(address - start).toString(16)}`;
  return `${hex} ${`${shorter(symbols.name[symbol], 34 - offset.length)}${offset}`.padEnd(34)}`;
}

/** Shortens long names in the middle. */
function shorter(text: string, length: number): string {
  if (text.length <= length) return text;
  const half = Math.floor((length - 1) / 2);
  return `${text.slice(0, length - 1 - half)}…${text.slice(text.length - half)}`;
}

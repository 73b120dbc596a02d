/**
 * Imports inputs into a trace file, so that they are read and decoded only once.
 */

import type { PackedLane } from '../codec/block-head.js';
import { interruptible, nextTurn } from '../host/turns.js';
import { rowsOf } from '../model/columns.js';
import { checkMemory } from '../model/memory.js';
import type { DamagedLine, LineCounts } from '../model/profile/profile.js';
import { type SymbolTable, SymbolTableBuilder } from '../model/symbol-table.js';
import { type BranchSites, RECORD_SITES } from '../model/trace/branch-sites.js';
import type { Bounds } from '../model/units.js';
import { type Nanoseconds, NONE, type SymbolId } from '../model/units.js';
import { EventPacker, expectedSites, type PackingParameters, packInOrder, packThread } from '../trace/blocks.js';
import { SpillFile } from '../trace/event-memory.js';
import type { SideRecords, StoredSamples, TraceContents } from '../trace/file/contents.js';
import { type WrittenThread, writeTraceFile } from '../trace/file/write.js';
import type { OpenSourcesOptions, TraceSource } from './open-sources.js';
import { Outliner } from './outlines.js';
import type { AnalyzedInput } from './read/read-trace.js';
import { type BrokenInput, boundsOfTrace, type Trace } from './read/trace.js';
import type { Progress, ReadOptions } from './read/trace-builder.js';
import { withTrace } from './with-trace.js';
import type { ResourceOptions } from './workers/resources.js';

export interface ImportOptions extends Pick<ReadOptions, 'select' | 'signal'>, ResourceOptions, OpenSourcesOptions {
  /** Called after each piece of input and each written thread. */
  readonly onProgress?: (progress: Progress) => void;
}

/** The contents of the file in numbers, and the faults of the inputs. */
export interface ImportedTrace {
  readonly threads: number;
  readonly events: number;
  readonly samples: number;
  readonly bytes: number;
  readonly counts: Readonly<LineCounts>;
  readonly firstDamaged: readonly DamagedLine[];
  readonly brokenInputs: readonly BrokenInput[];
}

/**
 * Reads a trace and writes its file: `write` receives the bytes and is awaited. The same trace gives the same bytes, whatever the
 * order of its inputs and the number of workers.
 *
 * @throws PtflameError as `analyze`, except TIMELESS; and whatever `write` throws
 */
export async function importTrace(
  inputs: readonly (TraceSource | AnalyzedInput)[],
  write: (bytes: AsyncIterable<Uint8Array>) => Promise<void>,
  options: ImportOptions = {},
): Promise<ImportedTrace> {
  return withTrace(inputs, { ...options, byCalls: true, mayLackBranches: true }, async (trace, resources) => {
    const { contents, terms } = await interruptible(() => traceContents(trace));
    const outliner = Outliner.of(trace, resources, terms);
    const counter = new ByteCounter();
    await write(counter.counted(writeTraceFile(contents, packedThreads(trace, terms, outliner, options))));
    return accountOf(trace, counter.bytes);
  });
}

async function* packedThreads(
  { store }: Trace,
  terms: PackingParameters,
  outliner: Outliner | null,
  { signal, onProgress }: ImportOptions,
): AsyncGenerator<WrittenThread> {
  const packer = new EventPacker(terms);
  const shared = store.memory.shared();
  for (const [done, tid] of store.tids.entries()) {
    signal?.throwIfAborted();
    checkMemory();
    const source = store.threadSource(tid);
    const lanes: PackedLane[] = [];
    const file = new SpillFile(shared.directory);
    try {
      const outlined = outliner && (await interruptible(() => outliner.outlined(source, file)));
      const blocks = outlined ? packInOrder(tid, outlined, packer, lanes) : packThread(source, shared, packer, lanes);
      yield { tid, lanes, blocks, outline: outlined?.outline ?? null };
    } finally {
      file.close();
    }
    onProgress?.({ phase: 'write', threads: done + 1, ofThreads: store.tids.length });
  }
}

class ByteCounter {
  bytes = 0;

  async *counted(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const piece of pieces) {
      this.bytes += piece.length;
      await nextTurn(); // lets signals arrive: the consumer reads several pieces without yielding
      yield piece;
    }
  }
}

function accountOf({ account, store, samples }: Trace, bytes: number): ImportedTrace {
  const { counts, unwanted, firstDamaged, broken } = account;
  return {
    threads: store.tids.length,
    events: counts.events - unwanted,
    samples: samples.reduce((sum, { length }) => sum + length, 0),
    bytes,
    counts,
    firstDamaged,
    brokenInputs: broken,
  };
}

/**
 * Converts a trace to the contents of its file.
 *
 * `terms`: parameters for packing the blocks of its threads.
 */
function traceContents(trace: Trace): { readonly contents: TraceContents; readonly terms: PackingParameters } {
  const { account, recorded } = trace;
  const symbols = orderedSymbols(trace.symbols);
  const sites = orderedSites(trace.sites, symbols.rankOf);
  const side = trace.store.allRecords();
  const { startNs, endNs } = boundsOf(trace);
  const originNs = originOf(trace, side);
  const meta = {
    originSeconds: trace.originSeconds === null ? null : trace.originSeconds + originNs / 1e9,
    startNs: startNs - originNs,
    endNs: endNs - originNs,
    counts: { ...account.counts },
    unwanted: account.unwanted,
    timed: account.timed,
    timeless: account.timeless,
    damaged: account.firstDamaged,
    broken: account.broken.toSorted((a, b) => compareTexts(a.input, b.input) || compareTexts(a.reason, b.reason)),
    unknownFlags: { ...account.unknownFlags },
    ...(account.otherSamples.length > 0 && { otherSamples: account.otherSamples }),
    recorded: recorded && { ...recorded, command: recorded.command && [...recorded.command] },
  };
  return {
    contents: {
      meta,
      symbols: symbols.table,
      sites: sites.table,
      side: since(originNs, side),
      samples: samplesSince(originNs, trace),
    },
    terms: { rankOf: sites.rankOf, expected: expectedSites(sites.table), originNs },
  };
}

/** The bounds of the branches; of the records, or of switches and samples, if there are no branches. */
function boundsOf(trace: Trace): Bounds {
  return trace.account.counts.events === 0 ? boundsOfTrace(trace) : trace.store.branchBounds;
}

/** The second in which the trace begins. The reader's time 0, in contrast, depends on the order of the inputs. */
function originOf(trace: Trace, { records, names, mappings }: SideRecords): Nanoseconds {
  const { originSeconds } = trace;
  const { startNs, endNs } = boundsOf(trace);
  const originNs = Math.floor(startNs / 1e9) * 1e9;
  const isExact = (timeNs: Nanoseconds) => Number.isSafeInteger(timeNs) && Number.isSafeInteger(timeNs - originNs);
  const canMove =
    originSeconds !== null &&
    originSeconds + originNs / 1e9 >= 0 &&
    [startNs, endNs].every(isExact) &&
    [records, names, mappings].every((rows) =>
      rows.every(({ timeNs }) => timeNs === Number.NEGATIVE_INFINITY || isExact(timeNs)),
    );
  return canMove ? originNs : 0; // garbled times are not exact: moving them would change them
}

function since(originNs: Nanoseconds, { records, names, mappings }: SideRecords): SideRecords {
  const moved = <Row extends { readonly timeNs: Nanoseconds }>(row: Row): Row => ({
    ...row,
    timeNs: row.timeNs - originNs,
  });
  return { records: records.map(moved), names: names.map(moved), mappings: mappings.map(moved) };
}

/** The order of side recordings is that of the inputs, and so may differ. */
function samplesSince(originNs: Nanoseconds, { samples, account }: Trace): StoredSamples {
  const tables = samples.map((table) => ({ ...table, timeNs: table.timeNs.map((time) => time - originNs) }));
  const lostSpans = account.samples.lostSpans
    .map(({ fromNs, toNs }) => ({ fromNs: fromNs - originNs, toNs: toNs - originNs }))
    .sort((a, b) => a.fromNs - b.fromNs || a.toNs - b.toNs);
  const sides = account.sides.toSorted((a, b) => compareTexts(a.input, b.input) || compareTexts(a.side, b.side));
  return { tables, account: { ...account.samples, lostSpans }, sides };
}

function compareTexts(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}

// Numbers symbols and sites by content, so that a trace file depends neither on the order of the inputs nor on which worker
// was faster.

const SPECIAL = new SymbolTableBuilder().build().length;

/** A table in its new order, and the new row of each old row. */
interface Ordered<Table> {
  readonly table: Table;
  readonly rankOf: Uint32Array;
}

/** Sorts by file, then by name; a table built by interning the rows in this order is the same. */
function orderedSymbols({ length, name, kind, dso, dsoName }: SymbolTable): Ordered<SymbolTable> {
  const fileOf = (row: SymbolId) => dsoName[dso[row] as number] ?? '';
  const rows = rowsFrom(SPECIAL, length).sort(
    (a, b) =>
      Number(dso[a] !== NONE) - Number(dso[b] !== NONE) ||
      compareTexts(fileOf(a), fileOf(b)) ||
      compareTexts(name[a] as string, name[b] as string),
  );
  const order = [...rowsFrom(0, Math.min(SPECIAL, length)), ...rows];
  const files = [...new Set(rows.filter((row) => dso[row] !== NONE).map(fileOf))];
  const fileRow = new Map(files.map((file, row) => [file, row]));
  const table = {
    length,
    name: order.map((row) => name[row] as string),
    kind: order.map((row) => kind[row] as SymbolTable['kind'][number]),
    dso: order.map((row) => (dso[row] === NONE ? NONE : (fileRow.get(fileOf(row)) as number))),
    dsoName: files,
  };
  return { table, rankOf: ranksOf(order) };
}

/** Sorts by source address, then by target address: the branches of a function are adjacent. */
function orderedSites(sites: BranchSites, symbolRank: Uint32Array): Ordered<BranchSites> {
  const { length, ...columns } = sites;
  const renamed = {
    ...columns,
    fromSymbol: sites.fromSymbol.map((symbol) => (symbol === NONE ? NONE : symbolRank[symbol])),
    toSymbol: sites.toSymbol.map((symbol) => (symbol === NONE ? NONE : symbolRank[symbol])),
  };
  const { from, to, kind, edge, fromSymbol, toSymbol, fromStart, toStart } = renamed;
  const rows = rowsFrom(RECORD_SITES, length).sort(
    (a, b) =>
      from[a] - from[b] ||
      to[a] - to[b] ||
      kind[a] - kind[b] ||
      edge[a] - edge[b] ||
      fromSymbol[a] - fromSymbol[b] ||
      toSymbol[a] - toSymbol[b] ||
      compareStarts(fromStart[a], fromStart[b]) ||
      compareStarts(toStart[a], toStart[b]),
  );
  const order = [...rowsFrom(0, RECORD_SITES), ...rows];
  return { table: { length, ...rowsOf(renamed, Int32Array.from(order)) }, rankOf: ranksOf(order) };
}

function rowsFrom(start: number, end: number): number[] {
  return Array.from({ length: Math.max(0, end - start) }, (_, index) => start + index);
}

function ranksOf(order: readonly number[]): Uint32Array {
  const rankOf = new Uint32Array(order.length);
  order.forEach((row, rank) => {
    rankOf[row] = rank;
  });
  return rankOf;
}

/** NaN, for an offset that was not printed, sorts before all others. */
function compareStarts(a: number, b: number): number {
  return Number(Number.isNaN(b)) - Number(Number.isNaN(a)) || (a === b ? 0 : a < b ? -1 : 1);
}

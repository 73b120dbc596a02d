/**
 * A trace file as an input: opened, its parts laid where reading would have left them, and what is wrong with it told.
 */
import { closeSync, openSync } from 'node:fs';
import { FileFault } from '../../codec/file-fault.js';
import type { BranchKind, TraceEdge } from '../../model/branch-sites.js';
import { unreadableInput } from '../../model/errors.js';
import type { PackedThread } from '../../model/packed-thread.js';
import { formatCount } from '../../render/format.js';
import { blockFault } from '../../store/block-fault.js';
import { expectedSites } from '../../store/event-code.js';
import type { TraceContents } from '../../trace-file/contents.js';
import { FileBytes } from '../../trace-file/file-bytes.js';
import { readTraceFile } from '../../trace-file/read.js';
import { traceFileRefusal } from '../../trace-file/refusal.js';
import { salvageTraceFile } from '../../trace-file/salvage.js';
import type { InputReader } from './inputs.js';

/** A trace that was imported; it lies open, and can be read once. */
export interface StoredTrace {
  readonly name: string;
  readonly sizeBytes: number;
  readonly stored: {
    readonly fd: number;
    readonly contents: TraceContents;
    readonly threads: readonly PackedThread[];
    /** What was lost of it, if something was. */
    readonly lost: string | null;
  };
}

export interface OpenStoredOptions {
  /** Takes what is left of a damaged file. Default: false, it is refused. */
  readonly salvage?: boolean;
}

/**
 * Opens a trace file: what all threads have in common is read, and checked; their events when they are replayed.
 *
 * @throws PtflameError INPUT_UNREADABLE, NEWER_VERSION or TRACE_FILE_DAMAGED
 */
export function openStoredTrace(path: string, { salvage = false }: OpenStoredOptions = {}): StoredTrace {
  const fd = opened(path);
  try {
    const file = new FileBytes(fd);
    const read = salvage ? salvaged(file) : { ...readTraceFile(file), lost: null };
    return { name: path, sizeBytes: file.sizeBytes, stored: { fd, ...read } };
  } catch (error) {
    closeSync(fd);
    throw error instanceof FileFault ? traceFileRefusal(error, path, { isSalvaged: salvage }) : error;
  }
}

/** About as many events as are not replayed by one thread alone. */
const MANY_EVENTS = 1_500_000;

/** Others will have begun to help when it is laid out. */
export function isLarge({ stored }: StoredTrace): boolean {
  return stored.contents.meta.counts.events > MANY_EVENTS;
}

/** What is told of an error: a block is checked when it is read, by whichever thread reads it. */
export function refusedBlock(error: unknown, inputs: readonly { readonly name: string }[]): unknown {
  const message = blockFault(error);
  return message === null
    ? error
    : traceFileRefusal({ why: 'damaged', message }, inputs[0]?.name ?? '', { isSalvaged: false });
}

function salvaged(file: FileBytes): Omit<StoredTrace['stored'], 'fd'> {
  const { contents, threads, keptEvents, ofEvents, isSideLost } = salvageTraceFile(file);
  const parts = [
    ...(keptEvents < ofEvents ? [`salvaged ${formatCount(keptEvents)} of ${formatCount(ofEvents)} events`] : []),
    ...(isSideLost ? ['names, switches and errors are lost'] : []),
  ];
  return { contents, threads, lost: parts.length === 0 ? null : parts.join('; ') };
}

function opened(path: string): number {
  try {
    return openSync(path, 'r');
  } catch (cause) {
    throw unreadableInput(path, cause);
  }
}

/** As if all that is in the file had just been read. */
export function takeStored({ name, stored }: StoredTrace, reader: InputReader): void {
  const { fd, contents, threads, lost } = stored;
  const { words, store } = reader;
  const { meta, side } = contents;
  store.memory.readFrom({ fd, expected: takeSites(contents, reader) });
  const { originSeconds, timed, timeless } = meta;
  Object.assign(words, { originSeconds, timed, timeless });
  words.unknownFlags.addAll(meta.unknownFlags.words, meta.unknownFlags.lines);
  store.startNs = meta.startNs;
  store.endNs = meta.endNs;
  store.unwanted = meta.unwanted;
  reader.addAccount(meta);
  if (lost !== null) reader.broken.push({ input: name, reason: lost });
  store.addSide(side);
  for (const thread of threads) store.addPacked(thread);
}

/** Symbols and sites get the rows that they have in the file; gives the site that is expected behind each. */
function takeSites({ symbols, sites }: TraceContents, { words }: InputReader): Int32Array {
  const { interner } = words;
  for (let row = interner.symbols.build().length; row < symbols.length; row++)
    interner.symbols.intern(symbols.name[row] as string, symbols.dsoName[symbols.dso[row] as number] ?? null);
  for (let site = 0; site < sites.length; site++) {
    const from = { address: sites.from[site], symbol: sites.fromSymbol[site], start: sites.fromStart[site] };
    const to = { address: sites.to[site], symbol: sites.toSymbol[site], start: sites.toStart[site] };
    interner.sites.add(sites.kind[site] as BranchKind, sites.edge[site] as TraceEdge, from, to);
  }
  return expectedSites(interner.sites.build());
}

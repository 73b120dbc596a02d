/**
 * Reads a trace file, except for the events, which are read when their threads are replayed.
 */

import type { RecordingEnvironment } from '../../model/profile/profile.js';
import type { BranchKind, TraceEdge } from '../../model/trace/branch-sites.js';
import { expectedSites } from '../../trace/blocks/event-code.js';
import type { TraceContents } from '../../trace/file/contents.js';
import type { StoredTrace } from '../input/stored-trace.js';
import { MIN_EVENTS } from '../workers/resources.js';
import type { Source } from './source.js';
import type { TraceBuilder } from './trace-builder.js';

export class StoredSource implements Source {
  readonly name: string;
  readonly recorded: RecordingEnvironment | null;
  readonly standsAlone = true;
  private readonly stored: StoredTrace['stored'];

  constructor({ name, stored }: StoredTrace) {
    this.name = name;
    this.recorded = stored.contents.meta.recorded;
    this.stored = stored;
  }

  async read(into: TraceBuilder): Promise<void> {
    const { fd, contents, threads, lost } = this.stored;
    const { context, store } = into;
    const { meta, side, samples } = contents;
    if (meta.counts.events >= MIN_EVENTS[into.isPart ? 'ofPart' : 'ofAll'].toWake) into.readers.wake(threads.length); // they start meanwhile
    store.memory.attachPacked({ fd, expected: internSites(contents, into) });
    const { originSeconds, timed, timeless } = meta;
    Object.assign(context, { originSeconds, timed, timeless });
    context.unknownFlags.addAll(meta.unknownFlags.words, meta.unknownFlags.lines);
    store.startNs = meta.startNs;
    store.endNs = meta.endNs;
    store.unwanted = meta.unwanted;
    into.addAccount(meta);
    if (lost !== null) into.addAccount({ broken: [{ input: this.name, reason: lost }] });
    store.addRecords(side);
    into.addSamples(samples.tables);
    into.addOtherSamples(meta.otherSamples ?? []);
    into.addSampleAccount(samples.account);
    for (const recording of samples.sides) into.addSide(recording);
    for (const thread of threads) store.addPacked(thread);
    if (meta.counts.events === 0 && samples.tables.length > 0) into.withoutTrace.push(this.name);
  }
}

/** Gives symbols and sites the rows that they have in the file; returns the site expected after each site. */
function internSites({ symbols, sites }: TraceContents, { context }: TraceBuilder): Int32Array {
  const { interner } = context;
  for (let row = interner.symbols.build().length; row < symbols.length; row++)
    interner.symbols.intern(symbols.name[row] as string, symbols.dsoName[symbols.dso[row] as number] ?? null);
  for (let site = 0; site < sites.length; site++) {
    const from = { address: sites.from[site], symbol: sites.fromSymbol[site], start: sites.fromStart[site] };
    const to = { address: sites.to[site], symbol: sites.toSymbol[site], start: sites.toStart[site] };
    interner.sites.add(sites.kind[site] as BranchKind, sites.edge[site] as TraceEdge, from, to);
  }
  return expectedSites(interner.sites.build());
}

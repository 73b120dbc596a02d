/**
 * Reads inputs in any order into one trace.
 */

import type { PackedOutline } from '../../codec/block-head.js';
import { FileFault } from '../../codec/file-fault.js';
import { interruptible } from '../../host/turns.js';
import type { RecordingEnvironment } from '../../model/profile/profile.js';
import type { BranchKind, TraceEdge } from '../../model/trace/branch-sites.js';
import type { Tid } from '../../model/units.js';
import { expectedSites } from '../../trace/blocks.js';
import type { TraceContents } from '../../trace/file/contents.js';
import { NO_OUTLINES } from '../../trace/file/read.js';
import { eventsOf } from '../../trace/store-contents.js';
import type { EncodedRecording } from '../decode/encoded-recording.js';
import type { TraceInput } from '../open-text.js';
import type { StoredTrace } from '../stored-trace.js';
import { type DecodedRecording, RecordingSource, type SampledRecording, SampledSource } from './recording-source.js';
import { notAlone, severalHosts } from './refusals.js';
import { TextSource } from './text-source.js';
import type { Trace } from './trace.js';
import type { Source, TraceBuilder } from './trace-builder.js';

/**
 * Text, a recording that is decoded while it is read, one without Intel PT, or an imported trace, which must be the only
 * input.
 */
export type AnalyzedInput = TraceInput | DecodedRecording | EncodedRecording | SampledRecording | StoredTrace;

/** @throws PtflameError INPUT_KIND if the inputs cannot be one trace, and as sources do */
export async function readTrace(inputs: readonly AnalyzedInput[], into: TraceBuilder): Promise<Trace> {
  const sources = await Promise.all(inputs.map(sourceOf));
  const alone = sources.find(({ standsAlone }) => standsAlone);
  if (alone !== undefined && sources.length > 1) throw notAlone(alone.name);
  refuseSeveralHosts(sources);
  for (const source of sources) await source.read(into);
  return into.freeze(sources.length === 1 ? (sources[0]?.recorded ?? null) : null);
}

/** A source that does not say where it was recorded may be of any host. */
function refuseSeveralHosts(sources: readonly Source[]): void {
  const hosts = sources.map(({ recorded }) => recorded?.host ?? null);
  const first = hosts.findIndex((host) => host !== null);
  const other = hosts.findIndex((host) => host !== null && host !== hosts[first]);
  if (other < 0) return;
  throw severalHosts([sources[first].name, sources[other].name], [hosts[first], hosts[other]] as [string, string]);
}

/** The only code that examines what kind an input is. The decoder is loaded only for a recording that it decodes. */
async function sourceOf(input: AnalyzedInput): Promise<Source> {
  if ('stored' in input) return new StoredSource(input);
  if ('binaries' in input) return new (await import('../decode/decoding-source.js')).DecodingSource(input);
  if ('sampled' in input) return new SampledSource(input);
  if ('parts' in input) return new RecordingSource(input);
  return new TextSource(input);
}

/** Reads a trace file, except for the events, which are read when their threads are replayed. */
class StoredSource implements Source {
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
    const { file, contents, threads, lost } = this.stored;
    const { context, store } = into;
    const { meta, side, samples } = contents;
    const { partEvents, minParts } = into.readers.sizes;
    const mayBeCut = threads.some(({ lanes }) => eventsOf(lanes) >= minParts * partEvents);
    const outlines = into.isPart ? this.stored.outlines() : mayBeCut ? this.soundOutlines() : NO_OUTLINES;
    const isLarge = meta.counts.events >= into.readers.sizes.minEvents[into.isPart ? 'ofPart' : 'ofAll'].toWake;
    if (isLarge && !(into.isPart && outlines.size > 0)) await into.readers.wake(mayBeCut ? undefined : threads.length); // they start meanwhile
    store.memory.attachPacked(file, await interruptible(() => internSites(contents, into)));
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
    for (const thread of threads) store.addPacked(thread, outlines.get(thread.tid) ?? null);
    if (meta.counts.events === 0 && samples.tables.length > 0) into.withoutTrace.push(this.name);
  }

  /** Without outlines, nothing of the whole is missing. */
  private soundOutlines(): ReadonlyMap<Tid, PackedOutline> {
    try {
      return this.stored.outlines();
    } catch (error) {
      if (error instanceof FileFault) return NO_OUTLINES;
      throw error;
    }
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

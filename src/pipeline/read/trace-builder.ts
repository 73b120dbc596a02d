/**
 * Collects what sources read, with an account of every line, and freezes it to a trace.
 */
import { checkMemory } from '../../model/memory.js';
import type { RecordingEnvironment } from '../../model/profile/profile.js';
import { type DamagedLine, type LineCounts, noLines } from '../../model/profile/profile.js';
import type { SampleTable } from '../../model/sample-table.js';
import {
  type LostSpan,
  OtherSampleCounts,
  type OtherSamples,
  type SampleAccount,
  type SideAccount,
} from '../../model/sample-table.js';
import { mergeSampleTables } from '../../model/sample-tables-builder.js';
import type { Selection, TraceChunk } from '../../model/trace/trace-chunk.js';
import { MAX_DAMAGED_SHOWN } from '../../parser/pieces/standalone-piece.js';
import { TraceContext } from '../../parser/trace-context.js';
import { TraceParser } from '../../parser/trace-parser.js';
import { isAtHit, probeHits } from '../../replay/probe-sites.js';
import type { EventMemoryOptions } from '../../trace/event-memory.js';
import { TraceStore } from '../../trace/trace-store.js';
import type { DecodedHere } from '../decode/encoded-recording.js';
import type { WorkerPool } from '../workers/worker-pool.js';
import { PieceReaders } from './piece-readers.js';
import type { BrokenInput, ReadAccount, Trace } from './trace.js';

interface ReadProgress {
  readonly phase: 'read';
  readonly bytes: number;
  readonly lines: number;
}

export interface ReadOptions {
  readonly select?: Selection;
  readonly onProgress?: (progress: ReadProgress) => void;
  readonly signal?: AbortSignal;
  /** Only a part of its time is replayed: other events cost little. Default: false. */
  readonly isPart?: boolean;
}

/** The account of one part of the inputs. */
type PartialAccount = Partial<{
  readonly counts: LineCounts;
  readonly damaged: readonly DamagedLine[];
  readonly broken: readonly BrokenInput[];
}>;

export class TraceBuilder {
  readonly context = new TraceContext();
  readonly store: TraceStore;
  /** The workers that help to read. */
  readonly readers: PieceReaders;
  /** Only a part of its time is replayed. */
  readonly isPart: boolean;
  /** Bytes read so far. */
  bytes = 0;
  /** A recording was read, decoded by a perf that ptflame started. */
  isDecodedHere = false;
  /** The recordings that ptflame decoded itself. */
  readonly decoded: DecodedHere[] = [];
  /** Calls between probes that are not among the events. */
  leftOutCalls = 0;
  /** Recordings without Intel PT. */
  readonly withoutTrace: string[] = [];
  private readonly samples: (readonly SampleTable[])[] = [];
  private readonly sampleAccount = { lines: 0, unreadable: 0, damaged: 0, lost: 0 };
  private readonly lostSpans: LostSpan[] = [];
  private readonly otherSamples = new OtherSampleCounts();
  private readonly sides: SideAccount[] = [];
  private readonly counts = noLines();
  private readonly damaged: DamagedLine[] = [];
  private readonly broken: BrokenInput[] = [];
  /** The parsers of texts that are being read. */
  private readonly parsers = new Set<TraceParser>();

  constructor(
    private readonly options: ReadOptions,
    memory: EventMemoryOptions,
    pool: WorkerPool,
  ) {
    this.isPart = options.isPart ?? false;
    this.store = new TraceStore(options.select ?? {}, memory);
    this.readers = new PieceReaders(pool, this.context);
  }

  /** Returns a parser for a text that is read from now on. */
  beginText(name: string): TraceParser {
    const parser = new TraceParser(this.context, name);
    this.parsers.add(parser);
    return parser;
  }

  /** Ends a text: all of it was read. */
  endText(parser: TraceParser): void {
    this.parsers.delete(parser);
    this.addAccount(parser);
    this.addSamples(parser.samples.build());
    this.sampleAccount.lines += parser.samples.lines;
    this.addOtherSamples(parser.otherSamples.build());
  }

  addAccount({ counts, damaged = [], broken = [] }: PartialAccount): void {
    if (counts) for (const kind of Object.keys(this.counts) as (keyof LineCounts)[]) this.counts[kind] += counts[kind];
    this.damaged.push(...damaged);
    this.broken.push(...broken);
  }

  /** `input`: its source; chunks of the same source must follow each other. */
  add(chunk: TraceChunk, input: string): void {
    this.store.add(chunk, input);
  }

  /** Adds the samples of one source, a table per event, with times of the trace. */
  addSamples(tables: readonly SampleTable[]): void {
    this.samples.push(tables);
  }

  addSampleAccount({ lines, unreadable, damaged, lost, lostSpans }: SampleAccount): void {
    this.sampleAccount.lines += lines;
    this.sampleAccount.unreadable += unreadable;
    this.sampleAccount.damaged += damaged;
    this.sampleAccount.lost += lost;
    for (const span of lostSpans) this.lostSpans.push(span);
  }

  addOtherSamples(others: readonly OtherSamples[]): void {
    this.otherSamples.addAll(others);
  }

  addSide(side: SideAccount): void {
    this.sides.push(side);
  }

  /** Counts bytes that were read, and reports progress. @throws the reason of the signal */
  countBytes(bytes: number): void {
    this.throwIfStopped();
    checkMemory();
    this.bytes += bytes;
    const lines = [...this.parsers].reduce((sum, { counts }) => sum + counts.lines, this.counts.lines);
    this.options.onProgress?.({ phase: 'read', bytes: this.bytes, lines });
  }

  throwIfStopped(): void {
    this.options.signal?.throwIfAborted();
  }

  /** Freezes the trace; all sources must have been read. */
  freeze(recorded: RecordingEnvironment | null): Trace {
    const { context } = this;
    const samples = mergeSampleTables(this.samples);
    const hits = probeHits(samples);
    const store = this.store.freeze(context.timeless === 0, (error) => hits !== null && isAtHit(hits, error));
    return {
      store,
      symbols: context.interner.symbols.build(),
      sites: context.interner.sites.build(),
      originSeconds: context.originSeconds,
      samples,
      hits,
      account: this.account(store.unwanted),
      recorded,
      decoded: this.decoded,
    };
  }

  private account(unwanted: number): ReadAccount {
    const { context, counts, broken, isDecodedHere } = this;
    const { timed, timeless, flagless, unknownFlags } = context;
    return {
      counts,
      unwanted,
      timed,
      timeless,
      flagless,
      firstDamaged: this.damaged.sort(byInputThenLine).slice(0, MAX_DAMAGED_SHOWN),
      broken,
      unknownFlags: { words: unknownFlags.words, lines: unknownFlags.lines },
      isDecodedHere,
      samples: { ...this.sampleAccount, lostSpans: this.lostSpans },
      otherSamples: this.otherSamples.build(),
      sides: this.sides,
      leftOutCalls: this.leftOutCalls,
      withoutTrace: this.withoutTrace,
    };
  }
}

function byInputThenLine(a: DamagedLine, b: DamagedLine): number {
  return a.input === b.input ? a.line - b.line : a.input < b.input ? -1 : 1;
}

/** A source: what a trace is read from. */
export interface Source {
  /** For messages. */
  readonly name: string;
  /** The environment of the recording; null: the source does not contain it. */
  readonly recorded: RecordingEnvironment | null;
  /** It is a complete trace: no other source can be read with it. */
  readonly standsAlone: boolean;
  /** Reads everything, to the end or to where the source breaks off. */
  read(into: TraceBuilder): Promise<void>;
}

/** Progress of the work on a trace. */
export interface ReplayProgress {
  readonly phase: 'replay';
  readonly threads: number;
  readonly ofThreads: number;
  /** How much of the work is done, from 0 to 1: large threads take longer. */
  readonly share: number;
}
/** Reported by imports. */
interface WriteProgress {
  readonly phase: 'write';
  readonly threads: number;
  readonly ofThreads: number;
}
export type Progress = ReadProgress | ReplayProgress | WriteProgress;

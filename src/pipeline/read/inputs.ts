/**
 * Inputs of any order in, one filled store out, with an account of every line.
 */
import { PtflameError } from '../../model/errors.js';
import { checkMemory } from '../../model/memory-watch.js';
import type { DamagedLine, LineCounts } from '../../model/quality.js';
import { noLines } from '../../model/quality.js';
import type { Selection, TraceChunk } from '../../model/trace-chunk.js';
import { LineCutter } from '../../parser/lines.js';
import { MOST_DAMAGED_SHOWN } from '../../parser/plain-piece.js';
import { TraceParser } from '../../parser/trace-parser.js';
import { TraceVocabulary } from '../../parser/trace-vocabulary.js';
import type { EventMemoryOptions } from '../../store/event-memory.js';
import { TraceStore } from '../../store/trace-store.js';
import { tellKind } from '../input/input-kind.js';
import { inLargerPieces } from '../input/larger-pieces.js';
import { type DecodedPart, type DecodedRecording, ErrorOwners, takeRecords } from './decoded.js';
import { FileParts } from './file-parts.js';
import { PIECE_BYTES, type PieceReaders } from './piece-readers.js';
import { notATrace } from './refusals.js';
import { StreamPieces } from './stream-pieces.js';

/** A stream of `perf script` text. */
export interface TraceInput {
  /** For messages; inputs of equal times are put in the order of their names. */
  readonly name: string;
  readonly bytes: AsyncIterable<Uint8Array>;
  /** How many of them there are, or about; null if nobody knows. */
  readonly sizeBytes?: number | null;
  /** Where all these bytes are, and nothing else; absent or null if they come from elsewhere. */
  readonly file?: PlainFile | null;
}

/** A file that lies open, to be read from anywhere. */
export interface PlainFile {
  readonly fd: number;
  readonly sizeBytes: number;
  /** The stream of its bytes goes on here. */
  skipTo(at: number): void;
}

export interface ReadProgress {
  readonly phase: 'read';
  readonly bytes: number;
  readonly lines: number;
}

export interface ReadOptions {
  readonly select?: Selection;
  readonly onProgress?: (progress: ReadProgress) => void;
  readonly signal?: AbortSignal;
}

interface Account {
  readonly counts: LineCounts;
  readonly damaged: readonly DamagedLine[];
  readonly broken: readonly { readonly input: string; readonly reason: string }[];
}

/** Less is read before others would have begun to help. */
const LARGE_BYTES = 48 * 1024 * 1024;

/** perf writes 4 KiB at a time. */
const STREAM_PIECE_BYTES = 256 * 1024;

export class InputReader {
  readonly words = new TraceVocabulary();
  readonly store: TraceStore;
  readonly counts: LineCounts = noLines();
  /** Inputs that broke off, and why: what came before is used. */
  readonly broken: { input: string; reason: string }[] = [];
  /** It is a recording, and perf was started for it. */
  isDecodedHere = false;
  private readonly damaged: DamagedLine[] = [];
  private readonly options: ReadOptions;
  private bytes = 0;
  /** Of what is read now. */
  private readonly parsers = new Set<TraceParser>();

  constructor(options: ReadOptions, memory: EventMemoryOptions) {
    this.options = options;
    this.store = new TraceStore(options.select ?? {}, memory);
  }

  /** Reads one input to its end, or to where it breaks off; with the help of others if the input is large. */
  async read(input: TraceInput, readers: PieceReaders): Promise<void> {
    if ((input.sizeBytes ?? 0) > LARGE_BYTES) readers.wake();
    await this.readWith(input, (parser, take) =>
      input.file
        ? this.readFile(input, input.file, parser, readers, take)
        : this.readStream(input, parser, readers, take),
    );
  }

  /** Reads what the decoders of a recording print, several at a time, and what the recording tells itself. */
  async readDecoded(recording: DecodedRecording, readers: PieceReaders): Promise<void> {
    const { name, parts, atOnce, sideband, broken } = recording;
    if (broken !== null) this.broken.push({ input: name, reason: broken });
    const owners = new ErrorOwners(parts.map(({ job }) => job));
    const waiting = [...parts];
    const readOnes = async () => {
      for (let part = waiting.shift(); part !== undefined; part = waiting.shift())
        await this.readPart(part, readers, owners);
    };
    await Promise.all(Array.from({ length: atOnce }, readOnes));
    this.isDecodedHere = true;
    const { chunk, damaged } = takeRecords(sideband, (time) => this.words.timeOf(time));
    this.store.add(chunk, name);
    this.counts.lines += damaged.length;
    this.counts.damagedLines += damaged.length;
    for (const { record, what, reason } of damaged.slice(0, MOST_DAMAGED_SHOWN))
      this.damaged.push({ input: `${name}, record`, line: record, text: what, reason });
  }

  /** What was counted when a trace was imported. */
  addAccount({ counts, damaged, broken }: Account): void {
    for (const kind of Object.keys(this.counts) as (keyof LineCounts)[]) this.counts[kind] += counts[kind];
    this.damaged.push(...damaged);
    this.broken.push(...broken);
  }

  private async readPart(part: DecodedPart, readers: PieceReaders, owners: ErrorOwners): Promise<void> {
    await this.readWith(part, (parser, take) =>
      this.readStream(part, parser, readers, (chunk) => take(this.ownErrors(chunk, part, parser, owners))),
    );
  }

  private ownErrors(chunk: TraceChunk, { job }: DecodedPart, { counts }: TraceParser, owners: ErrorOwners): TraceChunk {
    const records = chunk.records.filter(
      ({ what, cpu, timeNs }) => what !== 'gap' || owners.owns(job, cpu, this.words.perfTimeOf(timeNs)),
    );
    const others = chunk.records.length - records.length;
    counts.lines -= others;
    counts.gapLines -= others;
    return { ...chunk, records };
  }

  /** `reading` gives what stands behind the last line. */
  private async readWith(
    { name }: TraceInput,
    reading: (parser: TraceParser, take: (chunk: TraceChunk) => void) => Promise<Uint8Array>,
  ): Promise<void> {
    const parser = new TraceParser(this.words, name);
    const take = (chunk: TraceChunk) => this.store.add(chunk, name);
    this.parsers.add(parser);
    take(parser.finish(await reading(parser, take)));
    this.parsers.delete(parser);
    for (const kind of Object.keys(parser.counts) as (keyof LineCounts)[]) this.counts[kind] += parser.counts[kind];
    this.damaged.push(...parser.damaged);
  }

  /** What stands behind the last line. */
  private async readFile(
    input: TraceInput,
    file: PlainFile,
    parser: TraceParser,
    readers: PieceReaders,
    take: (chunk: TraceChunk) => void,
  ): Promise<Uint8Array> {
    const before = this.bytes;
    let cutter = new LineCutter();
    const parts = new FileParts(file, readers, parser, (chunk, at) => {
      take(chunk);
      this.note(before + at);
    });
    for await (const piece of this.untilBroken(input)) {
      parseHere(piece, parser, cutter, take);
      this.note(this.bytes + piece.length);
      const at = cutter.isSkipping ? 0 : this.bytes - before - cutter.rest().length;
      if (!parts.isUsefulAt(at)) continue;
      const to = await parts.readFrom(at);
      file.skipTo(to);
      cutter = new LineCutter();
      this.note(before + to);
    }
    return cutter.rest();
  }

  private async readStream(
    input: TraceInput,
    parser: TraceParser,
    readers: PieceReaders,
    take: (chunk: TraceChunk) => void,
  ): Promise<Uint8Array> {
    const cutter = new LineCutter();
    const pieces = new StreamPieces(readers, parser, cutter, take);
    for await (const piece of inLargerPieces(this.untilBroken(input), STREAM_PIECE_BYTES)) {
      if (pieces.isUseful) await pieces.add(piece);
      else {
        await pieces.finish();
        parseHere(piece, parser, cutter, take);
      }
      this.note(this.bytes + piece.length);
      if (this.bytes > LARGE_BYTES) readers.wake();
    }
    await pieces.finish();
    return cutter.rest();
  }

  /** How far it is; somebody may want it to stop. */
  private note(bytes: number): void {
    this.options.signal?.throwIfAborted();
    checkMemory();
    this.bytes = bytes;
    const lines = [...this.parsers].reduce((sum, { counts }) => sum + counts.lines, this.counts.lines);
    this.options.onProgress?.({ phase: 'read', bytes, lines });
  }

  /** What an input gives before it breaks off; errors of those who use it pass by. */
  private async *untilBroken(input: TraceInput): AsyncGenerator<Uint8Array> {
    const { name, kind, bytes } = await tellKind(input);
    try {
      for await (const piece of bytes) {
        if (kind === 'profile') throw notATrace(name); // who gives it hears that no more is wanted
        yield piece;
      }
    } catch (error) {
      this.options.signal?.throwIfAborted();
      if (error instanceof PtflameError) throw error;
      this.broken.push({ input: name, reason: error instanceof Error ? error.message : String(error) });
    }
  }

  /** By input name, then line; ten at most. */
  firstDamaged(): DamagedLine[] {
    const ordered = this.damaged.sort((a, b) => (a.input === b.input ? a.line - b.line : a.input < b.input ? -1 : 1));
    return ordered.slice(0, MOST_DAMAGED_SHOWN);
  }
}

function parseHere(
  bytes: Uint8Array,
  parser: TraceParser,
  cutter: LineCutter,
  take: (chunk: TraceChunk) => void,
): void {
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
    for (const lines of cutter.cut(bytes.subarray(at, at + PIECE_BYTES))) take(parser.parse(lines));
    parser.addOverlong(cutter.takeOverlong());
  }
}

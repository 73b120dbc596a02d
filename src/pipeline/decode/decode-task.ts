/**
 * Decodes parts of a recording's trace, in a worker or on the main thread.
 */
import type { FunctionAt } from '../../decode/code-pages.js';
import type { CodeChange, Image, MappedCode } from '../../decode/images.js';
import { type Jumps, PartDecoder, type TickBounds } from '../../decode/part-decoder.js';
import type { DecodedPart } from '../../decode/parts.js';
import { type Part, recordAt, type Stream } from '../../decode/parts.js';
import type { Slot } from '../../decode/schedule.js';
import { openRef } from '../../host/files.js';
import { type Packed, packed, unpacked, workerId } from '../../host/threads.js';
import type { FileRef, OpenFile } from '../../model/open-file.js';
import { sharableBytes } from '../../model/shared-memory.js';
import type { TraceTiming } from '../../model/trace/perf-time.js';
import type { Address } from '../../model/units.js';
import { type OpenSymbolFile, type SymbolFiles, symbolFiles } from '../../symbols/symbol-files.js';
import { newSetup, type Setup, setUp } from '../workers/setup.js';
import { Moved } from '../workers/workers.js';
import type { CpuTrace } from './decode-plan.js';
import { functionLocator, type LocateOptions } from './locate.js';

/** What decoding any part of a recording needs. Plain data. */
export interface DecodeContext {
  /** The recording. */
  readonly file: FileRef;
  readonly cpus: readonly { readonly trace: CpuTrace; readonly slots: readonly Slot[] }[];
  readonly images: readonly Image[];
  /** Of the kernel's code, in order of time. */
  readonly changes: readonly CodeChange[];
  /** Where the kernel switches stacks; null: it is not traced, or unknown. */
  readonly switchAt: Address | null;
  readonly timing: TraceTiming;
  readonly bounds: TickBounds | null;
  readonly originNs: bigint;
  readonly jumps: Jumps;
  readonly hasMtc: boolean;
  readonly compressesReturns: boolean;
  /** Where the binaries are, by their recorded path (latin1); missing ones cannot be read. */
  readonly binaries: ReadonlyMap<string, string>;
  /** Where their symbols are. */
  readonly naming: LocateOptions;
  /** For the events of a part; more only if a single packet has more. */
  readonly eventBytes: number;
  /** For the code and the sites that a decoder keeps. */
  readonly codeBytes: number;
  /** decode/part-decoder.ts */
  readonly pageBytes?: number;
  readonly isPlain?: boolean;
  readonly countsAt?: Float64Array;
}

/** Plain data. */
export interface DecodeTask {
  readonly context: Setup<Packed<DecodeContext>>;
  /** Row of the CPU. */
  readonly cpu: number;
  readonly part: Part;
  /** Shared memory that receives the events; null: they are sent. */
  readonly events: Int32Array | null;
}

/** What a worker has decoded. */
export interface DecodeResult {
  readonly decoded: DecodedPart;
  /** Its events are in the task's memory: how many numbers; null: they are not. */
  readonly length: number | null;
  /** Sites are numbered by worker. */
  readonly worker: number;
}

/** For the tasks of one recording. */
export function sentContext(context: DecodeContext): Setup<Packed<DecodeContext>> {
  return newSetup('decoding', packed(context));
}

/** The recording that was decoded last: parts of the same one follow. */
let current: RecordingDecoder | null = null;

export function decodePart({ context, cpu, part, events }: DecodeTask): DecodeResult | Moved<DecodeResult> {
  const decoder = setUp(context, (data) => {
    current?.close();
    return (current = new RecordingDecoder(unpacked(data)));
  });
  const decoded = decoder.decode(cpu, part, events ?? decoder.ownMemory());
  if (decoded.events.buffer === events?.buffer)
    return { decoded: { ...decoded, events: NO_EVENTS }, length: decoded.events.length, worker: workerId };
  const sent = events === null ? decoded.events.slice() : decoded.events;
  return new Moved({ decoded: { ...decoded, events: sent }, length: null, worker: workerId }, sent);
}

const NO_EVENTS = new Int32Array();

/** A decoder stops when it has enough events, and has a few more then. */
const SPARE_BYTES = 320 * 1024;

/** Memory for the events of a part, which workers share if they can. */
export function newEvents({ eventBytes }: DecodeContext): Int32Array {
  return new Int32Array(sharableBytes(eventBytes + SPARE_BYTES));
}

type OnRead = (file: string, offset: number, bytes: number) => void;

/** Decodes parts with code and sites that earlier parts needed, until those become too large. */
export class RecordingDecoder {
  private readonly file: OpenFile;
  private readonly files: OpenFiles;
  private readonly functionAt: FunctionAt;
  private decoder: PartDecoder;
  private memory: Int32Array | null = null;

  /** `onRead`: called for each page of code when it is first needed. */
  constructor(
    private readonly context: DecodeContext,
    private readonly onRead: OnRead = () => {},
  ) {
    this.file = openRef(context.file);
    this.files = new OpenFiles(symbolFiles(context.naming.files));
    this.functionAt = functionLocator(context.naming);
    this.decoder = this.newDecoder();
  }

  /** `into`: receives the events, in bundles, if they fit. */
  decode(cpu: number, part: Part, into: Int32Array): DecodedPart {
    const { trace, slots } = this.context.cpus[cpu] as DecodeContext['cpus'][number];
    if (this.decoder.isFull) this.decoder = this.newDecoder(this.decoder);
    const read = (stream: Stream, offset: number, into: Uint8Array) => this.read(stream, offset, into);
    const decoded = this.decoder.decode(part, { streams: trace.streams, slots, read });
    const { length } = decoded.events;
    if (length > into.length) return { ...decoded, events: decoded.events.slice() };
    into.set(decoded.events);
    return { ...decoded, events: into.subarray(0, length) };
  }

  /** Decodes a stream of a CPU from its begin, as a decoder alone: yields one part after the other. */
  *decodeStream(cpu: number, stream: number, into: Int32Array): Generator<DecodedPart> {
    const [{ offset }] = (this.context.cpus[cpu] as DecodeContext['cpus'][number]).trace.streams[stream] as Stream;
    const whole = { stream, lastStream: stream, offset, cut: Number.POSITIVE_INFINITY, state: null };
    for (let part: Part | null = whole; part !== null; ) {
      const decoded = this.decode(cpu, part, into);
      yield decoded;
      part = decoded.rest && { ...whole, ...decoded.rest };
    }
  }

  /** What was counted in the last part (decode/part-decoder.ts). */
  counts(): DataView {
    return this.decoder.counts();
  }

  /** Returns memory for the events of a part. */
  ownMemory(): Int32Array {
    return (this.memory ??= newEvents(this.context));
  }

  close(): void {
    this.files.close();
  }

  private newDecoder(replaced: PartDecoder | null = null): PartDecoder {
    const { binaries } = this.context;
    const readCode = ({ file }: MappedCode, offset: number, bytes: number) => {
      this.onRead(file, offset, bytes);
      const binary = binaries.get(file);
      return binary === undefined ? null : this.files.read(binary, offset, bytes);
    };
    const options = {
      ...this.context,
      readCode,
      functionAt: this.functionAt,
      inBundles: this.context.countsAt === undefined,
    };
    return new PartDecoder(options, replaced);
  }

  /**
   * Fills in bytes of a stream, from an offset on. Of a file that became shorter, what is missing is padding; it is refused at
   * the end (unchanged-file.ts).
   */
  read(stream: Stream, start: number, into: Uint8Array): void {
    const end = start + into.length;
    into.fill(0);
    for (let row = recordAt(stream, start); row < stream.length; row++) {
      const { offset, sizeBytes, fileOffset } = stream[row] as Stream[number];
      const from = Math.max(start, offset);
      const to = Math.min(end, offset + sizeBytes);
      if (from >= end) break;
      if (from < to) this.file.read(into.subarray(from - start, to - start), fileOffset + from - offset);
    }
  }
}

/** Binaries that are open; null: cannot be opened. */
class OpenFiles {
  private readonly files = new Map<string, OpenSymbolFile | null>();

  constructor(private readonly from: SymbolFiles) {}

  read(path: string, offset: number, bytes: number): Uint8Array | null {
    let file = this.files.get(path);
    if (file === undefined) this.files.set(path, (file = this.from.open(path)));
    try {
      return file?.read(offset, bytes) ?? null;
    } catch {
      return null; // a failing disk: code that cannot be read is missing
    }
  }

  close(): void {
    for (const file of this.files.values()) file?.close();
  }
}

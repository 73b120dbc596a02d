/**
 * Decodes parts of a recording's trace, in a worker or on the main thread.
 */
import { deserialize, serialize } from 'node:v8';
import { threadId } from 'node:worker_threads';
import type { FunctionAt } from '../../decode/code-pages.js';
import type { Image, MappedCode } from '../../decode/images.js';
import { type Jumps, PartDecoder, type TickBounds } from '../../decode/part-decoder.js';
import type { DecodedPart } from '../../decode/parts.js';
import { bundled, type Part, recordAt, type Stream } from '../../decode/parts.js';
import type { Slot } from '../../decode/schedule.js';
import { openRef } from '../../host/files.js';
import type { FileRef, OpenFile } from '../../model/open-file.js';
import { BundleWriter } from '../../model/trace/event-runs.js';
import type { TraceTiming } from '../../model/trace/perf-time.js';
import { type OpenSymbolFile, type SymbolFiles, symbolFiles } from '../../symbols/symbol-files.js';
import type { CpuTrace } from './decode-plan.js';
import { functionLocator, type LocateOptions } from './locate.js';

/** What decoding any part of a recording needs. Plain data. */
export interface DecodeContext {
  /** The recording. */
  readonly file: FileRef;
  readonly cpus: readonly { readonly trace: CpuTrace; readonly slots: readonly Slot[] }[];
  readonly images: readonly Image[];
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
  /** For tests: decode/part-decoder.ts. */
  readonly isPlain?: boolean;
}

/** A context that workers read once, from shared memory. */
export interface SharedContext {
  /** No other context of this process has it. */
  readonly id: number;
  readonly bytes: Uint8Array;
}

/** Plain data. */
export interface DecodeTask {
  readonly context: SharedContext;
  /** Row of the CPU. */
  readonly cpu: number;
  readonly part: Part;
  /** Shared memory that receives the events. */
  readonly events: Int32Array;
}

/** What a worker has decoded. */
export interface DecodeResult {
  readonly decoded: DecodedPart;
  /** Its events are in the task's memory: how many numbers; null: they did not fit. */
  readonly length: number | null;
  /** Sites are numbered by worker. */
  readonly worker: number;
}

let contexts = 0;

export function sharedContext(context: DecodeContext): SharedContext {
  const bytes = serialize(context);
  const copy = new Uint8Array(new SharedArrayBuffer(bytes.length));
  copy.set(bytes);
  return { id: contexts++, bytes: copy };
}

/** The recording that was decoded last: parts of the same one follow. */
let current: { readonly id: number; readonly decoding: RecordingDecoder } | null = null;

export function decodePart({ context, cpu, part, events }: DecodeTask): DecodeResult {
  if (current?.id !== context.id) {
    current?.decoding.close();
    current = { id: context.id, decoding: new RecordingDecoder(deserialize(context.bytes.slice())) };
  }
  const decoded = current.decoding.decode(cpu, part, events);
  if (decoded.events.buffer !== events.buffer) return { decoded, length: null, worker: threadId };
  return { decoded: { ...decoded, events: NO_EVENTS }, length: decoded.events.length, worker: threadId };
}

const NO_EVENTS = new Int32Array();

/** Decodes parts with code and sites that earlier parts needed, until those become too large. */
export class RecordingDecoder {
  private readonly context: DecodeContext;
  private readonly file: OpenFile;
  private readonly files: OpenFiles;
  private readonly bundles = new BundleWriter();
  private readonly functionAt: FunctionAt;
  private decoder: PartDecoder;

  constructor(context: DecodeContext) {
    this.context = context;
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
    return bundled(this.decoder.decode(part, { streams: trace.streams, slots, read }), this.bundles, into);
  }

  close(): void {
    this.files.close();
  }

  private newDecoder(replaced: PartDecoder | null = null): PartDecoder {
    const { binaries } = this.context;
    const readCode = ({ file }: MappedCode, offset: number, bytes: number) => {
      const binary = binaries.get(file);
      return binary === undefined ? null : this.files.read(binary, offset, bytes);
    };
    return new PartDecoder({ ...this.context, readCode, functionAt: this.functionAt }, replaced);
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
  private readonly from: SymbolFiles;

  constructor(from: SymbolFiles) {
    this.from = from;
  }

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

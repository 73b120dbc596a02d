/**
 * Decodes pieces of a recording's trace, to see how much there is to decode.
 *
 * A decoder can only begin at a PSB, so a piece is what lies between two of them. Pieces are drawn by position: each has a chance
 * that grows with its length. So the mean of branches per byte over all pieces, times the bytes of the trace, estimates the
 * branches of the trace, however uneven it is, and how much the pieces differ tells how far it may be off.
 */
import { endOf, errorsOf, runsOf, type Stream } from '../../decode/parts.js';
import type { Slot } from '../../decode/schedule.js';
import { openPath } from '../../host/files.js';
import { firstThat } from '../../model/columns.js';
import { homeOfCode } from '../../model/symbol-table.js';
import type { Recording } from '../../perfdata/recording.js';
import { decodePlan, nsOf } from './decode-plan.js';
import { type DecodeContext, RecordingDecoder } from './decode-task.js';
import { cpuError } from './decoded-trace.js';
import { decodeContext, type EncodedRecording } from './encoded-recording.js';
import { cutOut, PIECE_BYTES, PSB, PsbSearch, type Range } from './psb-search.js';

/** What was decoded of how much. */
export interface DecodedSample {
  readonly pieces: number;
  /** Of trace. */
  readonly bytes: number;
  readonly ofBytes: number;
  /** Of the whole trace: branches taken, or calls and returns alone, as the recording is to be decoded. */
  readonly branches: number;
  /** Two standard errors of `branches`; 0: they were counted. */
  readonly uncertainty: number;
  /** In the pieces, without bad packets: the end of a piece may be one. */
  readonly errors: number;
  /** Those of them that are about code of no file, as JIT compilers generate it. */
  readonly generatedErrors: number;
}

export interface SampleLimits {
  /** A trace of this size is decoded as a whole. */
  readonly wholeBytes: number;
  /** After so many bytes, no more pieces are decoded, however uncertain the estimate is. */
  readonly maxBytes: number;
}

const LIMITS: SampleLimits = { wholeBytes: 2 * 1024 * 1024, maxBytes: 24 * 1024 * 1024 };
/** The first round of pieces; each further round has twice as many. */
const FIRST_PIECES = 64;
const MAX_PIECES = 512;
/** Good enough: two standard errors of the estimate, as a share of it. */
const WANTED_UNCERTAINTY = 0.08;
/** Before so many pieces had branches, how much they differ says little. */
const WANTED_PIECES = 100;
/** Looking for PSBs takes about a tenth of the time of decoding. */
const SEARCH_COST = 0.1;
/** Decoded to see how long that takes. Of shorter ones, most of the time would be what comes before decoding. */
const STRETCHES = 32;
const STRETCH_BYTES = 64 * 1024;
/** Of pieces without branches at an end of a trace. */
const MAX_ENDS = 64;
const BAD_PACKET = 3;
const NO_CODE = 5;
/** An overflow, and lost trace data: there is nothing to decode. */
const NOT_RECORDED: readonly number[] = [7, 8];

/**
 * Same recording, same pieces. `onDecoded`: is called, when the code is known, with what decodes some long stretches and returns
 * how many bytes they have: per byte, a long trace takes as long as that, as short pieces do not.
 */
export function decodeSample(
  encoded: EncodedRecording,
  limits: SampleLimits = LIMITS,
  onDecoded: (decodeStretches: () => number) => void = () => {},
): DecodedSample {
  return withSampler(encoded, 0n, (sampler) => {
    const sample = sampler.ofBytes > limits.wholeBytes ? sampler.estimate(limits.maxBytes) : sampler.count();
    onDecoded(() => sampler.decodeStretches());
    return sample;
  });
}

function withSampler<Result>(encoded: EncodedRecording, originNs: bigint, work: (sampler: Sampler) => Result): Result {
  const file = openPath(encoded.path);
  const sampler = new Sampler(decodeContext(encoded, file.ref, decodePlan(encoded), originNs));
  try {
    return work(sampler);
  } finally {
    sampler.close();
    file.close();
  }
}

/** On perf's clock, in nanoseconds. */
export interface TracedTime {
  readonly start: bigint;
  readonly end: bigint;
}

/**
 * Returns the time from the first branch to the last, as replay has it; null: there is none. Decodes only the ends of a long trace.
 */
export function tracedTime(encoded: EncodedRecording, { wholeBytes }: SampleLimits = LIMITS): TracedTime | null {
  const { recording } = encoded;
  const originNs = recording.bounds === null ? 0n : nsOf(recording.bounds.start);
  return withSampler(encoded, originNs, (sampler) => {
    if (sampler.ofBytes <= wholeBytes) sampler.count();
    else sampler.decodeEnds();
    const times = [...sampler.bounds, ...(sampler.isIncomplete ? switchesOf(recording, sampler.pids, originNs) : [])];
    if (!times.some(Number.isFinite)) return null;
    const [first, last] = [Math.min, Math.max].map((end) => times.filter(Number.isFinite).reduce((a, b) => end(a, b)));
    return {
      start: originNs + BigInt(Math.round(first as number)),
      end: originNs + BigInt(Math.round(last as number)),
    };
  });
}

/** Where code could not be decoded, the switches tell when threads ran, as in trace/stored-threads.ts. */
function switchesOf({ sideband }: Recording, pids: ReadonlySet<number>, originNs: bigint): number[] {
  return sideband.flatMap(({ tid, pid, time, record }) =>
    record.what === 'switch' && tid > 0 && pids.has(pid) && time !== null ? [Number(nsOf(time) - originNs)] : [],
  );
}

type Cpu = DecodeContext['cpus'][number];

/** A stream of a CPU, and how much trace is before it. */
interface PlacedStream {
  readonly cpu: Cpu;
  readonly stream: Stream;
  readonly before: number;
}

class Sampler {
  readonly ofBytes: number;
  private readonly streams: readonly PlacedStream[];
  /** Each piece is a CPU of its own. */
  private readonly pieces: Cpu[] = [];
  private readonly decoder: RecordingDecoder;
  private readonly memory: Int32Array;
  private readonly psbs: PsbSearch;
  /** Of the first branch and the last; not finite: there is none. */
  readonly bounds: [startNs: number, endNs: number] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  /** Trace was there, but could not be decoded. */
  isIncomplete = false;
  /** Processes that ran. */
  readonly pids = new Set<number>();
  private bytes = 0;
  private errors = 0;
  private generatedErrors = 0;

  constructor(private readonly context: DecodeContext) {
    let before = 0;
    this.streams = context.cpus.flatMap((cpu) =>
      cpu.trace.streams.map((stream) => {
        const placed = { cpu, stream, before };
        before += bytesOf(stream);
        return placed;
      }),
    );
    this.ofBytes = before;
    this.decoder = new RecordingDecoder({ ...context, cpus: this.pieces });
    this.psbs = new PsbSearch((...where) => this.decoder.read(...where));
    this.memory = new Int32Array(context.eventBytes / Int32Array.BYTES_PER_ELEMENT);
  }

  close(): void {
    this.decoder.close();
  }

  count(): DecodedSample {
    const branches = this.streams.reduce((sum, { cpu, stream }) => sum + this.branchesOf(cpu, stream), 0);
    return this.result(branches, 0);
  }

  /** Decodes stretches in equal parts of the trace. Returns how many bytes they have. */
  decodeStretches(): number {
    const { bytes } = this;
    for (let row = 0; row < STRETCHES; row++) {
      const { cpu, stream, at } = this.placeOf(Math.floor((row / STRETCHES) * this.ofBytes));
      const start = this.psbs.before(stream, at) ?? at;
      this.branchesOf(cpu, cutOut(stream, { start, end: start + STRETCH_BYTES }));
    }
    return this.bytes - bytes;
  }

  /** Decodes pieces from both ends of each CPU's trace until there are branches. */
  decodeEnds(): void {
    for (const cpu of this.context.cpus) {
      const { streams } = cpu.trace;
      streams.some((stream) => this.decodeFrom(cpu, stream, stream[0].offset, (piece) => piece.end));
      streams
        .toReversed()
        .some((stream) => this.decodeFrom(cpu, stream, endOf(stream) - 1, (piece) => piece.start - 1));
    }
  }

  /** Returns whether there were branches in the pieces that `next` leads to. */
  private decodeFrom(cpu: Cpu, stream: Stream, offset: number, next: (piece: Range) => number): boolean {
    for (let [at, pieces] = [offset, 0]; at >= stream[0].offset && at < endOf(stream) && pieces < MAX_ENDS; pieces++) {
      const start = this.psbs.before(stream, at) ?? at;
      const piece = { start, end: this.endOfPiece(stream, start) };
      if (this.branchesOf(cpu, cutOut(stream, piece)) > 0) return true;
      at = next(piece);
    }
    return false;
  }

  /** Decodes rounds of pieces until they agree well enough. */
  estimate(maxBytes: number): DecodedSample {
    let [drawn, filled, sum, squares] = [0, 0, 0, 0];
    for (let pieces = FIRST_PIECES; ; pieces *= 2) {
      const densities = this.densities(pieces);
      drawn += densities.length;
      filled += densities.filter((density) => density > 0).length;
      sum += densities.reduce((all, density) => all + density, 0);
      squares += squaredErrorOfSum(densities);
      const uncertainty = sum === 0 ? 1 : (2 * Math.sqrt(squares)) / sum;
      const isGood = uncertainty <= WANTED_UNCERTAINTY && filled >= WANTED_PIECES;
      const isLast = 2 * pieces > MAX_PIECES || 3 * this.cost > maxBytes; // the next round has two thirds of all pieces
      if (isGood || isLast) return this.result(drawn === 0 ? 0 : Math.round((sum / drawn) * this.ofBytes), uncertainty);
    }
  }

  private get cost(): number {
    return this.bytes + SEARCH_COST * this.psbs.searched;
  }

  private result(branches: number, uncertainty: number): DecodedSample {
    const { pieces, bytes, ofBytes, errors, generatedErrors } = this;
    return { pieces: pieces.length, bytes, ofBytes, branches, uncertainty, errors, generatedErrors };
  }

  /** Returns branches per byte at one position in each of `count` equal parts of the trace; without those that cannot be known. */
  private densities(count: number): number[] {
    return Array.from({ length: count }, (_, row) => {
      const at = Math.floor(((row + ((row * GOLDEN_RATIO) % 1)) / count) * this.ofBytes);
      return this.densityAt(at);
    }).filter((density) => density !== null);
  }

  private placeOf(position: number): PlacedStream & { readonly at: number } {
    const placed = this.streams[streamAt(this.streams, position)] as PlacedStream;
    return { ...placed, at: placed.stream[0].offset + position - placed.before };
  }

  private densityAt(position: number): number | null {
    const { cpu, stream, at } = this.placeOf(position);
    const start = this.psbs.before(stream, at);
    if (start === null) return at - PIECE_BYTES < stream[0].offset ? 0 : null; // no decoder can begin before the first PSB
    const end = this.endOfPiece(stream, start);
    return this.branchesOf(cpu, cutOut(stream, { start, end })) / (end - start);
  }

  private endOfPiece(stream: Stream, start: number): number {
    return this.psbs.after(stream, start + PSB.length) ?? Math.min(start + PIECE_BYTES, endOf(stream));
  }

  private branchesOf({ trace, slots }: Cpu, stream: Stream): number {
    const piece = { trace: { ...trace, streams: [stream] }, slots };
    const row = this.pieces.push(piece) - 1;
    let branches = 0;
    for (const decoded of this.decoder.decodeStream(row, 0, this.memory)) {
      this.bytes += decoded.bytes;
      for (const { events, slot, startNs, endNs } of runsOf(decoded, 0, undefined)) {
        const { tid, pid } = slots[slot] as Slot;
        branches += events;
        if (tid <= 0) continue; // an idle CPU
        this.pids.add(pid);
        this.bounds[0] = Math.min(this.bounds[0], startNs);
        this.bounds[1] = Math.max(this.bounds[1], endNs);
      }
      for (const error of errorsOf(decoded, 0, undefined)) {
        if (error.code === BAD_PACKET) continue;
        this.errors++;
        this.isIncomplete ||= !NOT_RECORDED.includes(error.code);
        const home = error.code === NO_CODE ? homeOfCode(cpuError(error, piece, this.context.images).file) : 'file';
        this.generatedErrors += Number(home === 'generated' || (home === 'unmapped' && error.ip < 1n << 63n));
      }
    }
    return branches;
  }
}

/** Multiples of it, without their whole part, are spread evenly and have no period. */
const GOLDEN_RATIO = (Math.sqrt(5) - 1) / 2;

/** Of densities in adjacent parts of the trace: those of neighbours differ only by what is not known. */
function squaredErrorOfSum(densities: readonly number[]): number {
  const steps = densities.slice(1).map((density, row) => (density - (densities[row] as number)) ** 2);
  const sum = steps.reduce((all, step) => all + step, 0);
  return steps.length === 0 ? 0 : (sum / (2 * steps.length)) * densities.length;
}

/** Returns the row of the stream that holds a position of the trace. */
function streamAt(streams: readonly PlacedStream[], position: number): number {
  return firstThat(1, streams.length, (row) => (streams[row] as PlacedStream).before > position) - 1;
}

function bytesOf(stream: Stream): number {
  return endOf(stream) - stream[0].offset;
}

/**
 * Decodes generated trace here: events and errors as lines, to compare with those of perf.
 */

import type { FunctionAt } from '../../src/decode/code-pages.js';
import type { CodeChange } from '../../src/decode/images.js';
import { type CpuStreams, PartDecoder } from '../../src/decode/part-decoder.js';
import type { Stream } from '../../src/decode/parts.js';
import { type DecodedPart, errorsOf, runsOf, type SiteRow, siteCount, siteRow } from '../../src/decode/parts.js';
import { buildSchedule, type Sideband } from '../../src/decode/schedule.js';
import { NONE } from '../../src/model/units.js';
import type { MappedFile, TracePiece, TraceSettings } from './recording.js';
import { PID } from './recording.js';

export interface Lines {
  readonly events: string[];
  readonly errors: string[];
  /** Of each event; only here. */
  readonly threads?: number[];
  /** Both, in the order in which they came; only of perf. */
  readonly all?: string[];
}

const KINDS = [
  '',
  'call',
  'jmp',
  'jcc',
  'return',
  'call',
  'jmp',
  'call',
  'jmp',
  'syscall',
  'sysret',
  'iret',
  'int',
  'vmentry',
  'async',
  '',
  'return',
];
const EDGES = ['', 'tr strt', 'tr end', 'tr strt tr end'];

export interface OwnOptions {
  readonly settings: TraceSettings;
  readonly files: readonly (MappedFile & { readonly bytes: Uint8Array })[];
  readonly allBranches: boolean;
  /** Without what only makes it faster. */
  readonly isPlain?: boolean;
  /** More that happens, after what is mapped. */
  readonly sideband?: readonly Sideband[];
  /** Of the kernel's code. */
  readonly changes?: readonly CodeChange[];
  readonly switchAt?: number;
  readonly compressesReturns?: boolean;
  /** Jumps within functions are left out. */
  readonly functionAt?: FunctionAt;
}

const EVENT_BYTES = 16 << 20;

export class OwnDecoder {
  private readonly options: OwnOptions;
  private readonly slots: CpuStreams['slots'];
  private readonly images;
  private sites: SiteRow[] = [];
  private decoder: PartDecoder;

  constructor(options: OwnOptions) {
    const schedule = buildSchedule([
      ...options.files.map(
        ({ path: file, start, length }) =>
          ({ tick: 0n, what: 'map', pid: start < 0 ? NONE : PID, start, length, fileOffset: 0, file }) as const,
      ),
      { tick: 0n, what: 'runs', cpu: 0, pid: PID, tid: PID },
      ...(options.sideband ?? []),
    ]);
    this.options = options;
    this.slots = schedule.slotsOf({ cpu: 0, tid: PID });
    this.images = schedule.images;
    this.decoder = this.newDecoder();
  }

  private newDecoder(): PartDecoder {
    const { settings, files, allBranches, isPlain = false, functionAt, changes = [], switchAt = null } = this.options;
    const { compressesReturns = true } = this.options;
    const bytesOf = new Map(files.map(({ path, bytes }) => [path, bytes]));
    this.sites = [];
    return new PartDecoder({
      timing: {
        ...settings,
        mult: BigInt(settings.mult),
        zero: BigInt(settings.zero),
        mtcPeriod: Math.max(0, settings.mtcPeriod),
      },
      originNs: 0n,
      isPlain,
      jumps: functionAt ? 'leaving' : allBranches ? 'all' : 'none',
      hasMtc: settings.mtcPeriod >= 0,
      images: this.images,
      changes,
      switchAt,
      compressesReturns,
      readCode: ({ file }, at, length) => bytesOf.get(file)?.subarray(at, at + length) ?? null,
      functionAt: functionAt ?? (() => null),
      eventBytes: EVENT_BYTES,
      codeBytes: 64 << 20,
    });
  }

  /** `pieces` follow each other without a gap. */
  decode(pieces: readonly TracePiece[]): Lines {
    if (this.decoder.isFull) this.decoder = this.newDecoder();
    const lines = { events: [], errors: [], threads: [] };
    const records = pieces.map(({ offset, reference, bytes }) => ({
      offset,
      fileOffset: 0,
      reference,
      sizeBytes: bytes.length,
    }));
    const all = Uint8Array.from(pieces.flatMap(({ bytes }) => [...bytes]));
    const offset = pieces[0]?.offset ?? 0;
    const read = (_: Stream, at: number, into: Uint8Array) => {
      into.fill(0);
      into.set(all.subarray(at - offset, at - offset + into.length));
    };
    const part = { stream: 0, lastStream: 1, offset, cut: Number.POSITIVE_INFINITY, state: null };
    const cpu = { streams: [records, [emptyAt(offset + all.length)]] as unknown as Stream[], slots: this.slots, read };
    this.take(this.decoder.decode(part, cpu), lines);
    return lines;
  }

  private take(part: DecodedPart, lines: Required<Omit<Lines, 'all'>>): void {
    for (let row = 0; row < siteCount(part.sites.rows); row++) this.sites.push(siteRow(part.sites.rows, row));
    const { events } = part;
    const far = new DataView(new ArrayBuffer(8));
    let at = 0;
    for (const { length, slot } of runsOf(part, 0, undefined)) {
      const end = at + length;
      let ns = 0n;
      while (at < end) {
        let site = events[at] as number;
        if (site === -1) {
          site = events[at + 1] as number;
          far.setInt32(0, events[at + 2] as number, true);
          far.setInt32(4, events[at + 3] as number, true);
          ns = BigInt(far.getFloat64(0, true));
          at += 4;
        } else {
          ns += BigInt(events[at + 1] as number);
          at += 2;
        }
        lines.threads.push(this.slots[slot]?.tid ?? NONE);
        lines.events.push(`${timeText(ns)} ${siteText(this.sites[site] as SiteRow)}`);
      }
    }
    for (const { code, timeNs, ip } of errorsOf(part, 0, undefined))
      lines.errors.push(`${timeText(BigInt(timeNs))} error ${code} ${ip.toString(16)}`);
  }
}

/** The stream that follows has no bytes: it only makes the decoder hand over its state. */
const emptyAt = (offset: number) => ({ offset, fileOffset: 0, reference: 0n, sizeBytes: 0 });

export function siteText({ edge, kind, from, to }: SiteRow): string {
  const name =
    kind === 0 && edge === 0
      ? 'byBE'
      : edge === 2 && KINDS[kind] === 'jmp'
        ? ''
        : (edge < 2 || to !== 0n) && KINDS[kind] === 'async'
          ? 'hw int'
          : KINDS[kind];
  return `${EDGES[edge]} ${name} ${from.toString(16)} ${to.toString(16)}`.replace(/ +/g, ' ').trim();
}

export function timeText(ns: bigint): string {
  return `${ns / 1_000_000_000n}.${String(ns % 1_000_000_000n).padStart(9, '0')}`;
}

/**
 * A file of trace text, read by several threads: each reads parts of it, and what comes back is taken in their order.
 */
import { readSync } from 'node:fs';
import type { TraceChunk } from '../../model/trace-chunk.js';
import type { TraceParser } from '../../parser/trace-parser.js';
import type { PlainFile } from './inputs.js';
import {
  MOST_REFUSED,
  PIECE_BYTES,
  type PieceReaders,
  type ReadPart,
  sharedEvents,
  WAITING_PIECES,
} from './piece-readers.js';

interface Pending {
  readonly result: Promise<ReadPart>;
  /** Used again when the part is taken. */
  readonly events: Int32Array;
}

export class FileParts {
  /** Up to here everything is taken; a line begins here. */
  private at = 0;
  private refused = 0;
  private readonly pending: Pending[] = [];
  private readonly free: Int32Array[] = [];
  private readonly file: PlainFile;
  private readonly readers: PieceReaders;
  private readonly parser: TraceParser;
  private readonly take: (chunk: TraceChunk, at: number) => void;

  /** `take` is told of what each part gave, and up to where the file is taken now. */
  constructor(
    file: PlainFile,
    readers: PieceReaders,
    parser: TraceParser,
    take: (chunk: TraceChunk, at: number) => void,
  ) {
    this.file = file;
    this.readers = readers;
    this.parser = parser;
    this.take = take;
  }

  /**
   * Threads are there, and what they can read by themselves is worth to be handed out. Where they gave up they would do so
   * again: first a line has to be read here, and a file that was cut meanwhile may have no whole line left.
   */
  isUsefulAt(at: number): boolean {
    const { readers, parser, refused, file } = this;
    return at > this.at && readers.isAwake && parser.isSettled && refused < MOST_REFUSED && endOf(at) < file.sizeBytes;
  }

  /** Takes parts from a line on; up to where. The last lines of the file are left, and what no part could be made of. */
  async readFrom(at: number): Promise<number> {
    const { pending, file, readers } = this;
    this.at = at;
    let goesOn = true;
    for (let start = at - 1; goesOn && endOf(start) < file.sizeBytes; start = endOf(start)) {
      this.handOut(start);
      if (pending.length === readers.size + WAITING_PIECES) goesOn = await this.takeOldest();
    }
    while (pending.length > 0 && goesOn) goesOn = await this.takeOldest();
    for (const { result, events } of pending.splice(0)) {
      await result; // in vain, but it holds on to the events
      this.free.push(events);
    }
    return this.at;
  }

  private handOut(start: number): void {
    const events = this.free.pop() ?? sharedEvents();
    const { originSeconds } = this.parser;
    const result = this.readers.readPart({ fd: this.file.fd, start, end: endOf(start), events, originSeconds });
    result.catch(() => {}); // it is heard of when its turn comes
    this.pending.push({ result, events });
  }

  /** False if reading has to go on here. */
  private async takeOldest(): Promise<boolean> {
    const { result, events } = this.pending.shift() as Pending;
    const { read, from, to } = await result;
    this.free.push(events);
    this.refused = read === null ? this.refused + 1 : 0;
    if (from !== this.at) return false; // no end could be found, or the file was written anew meanwhile
    this.at = to;
    if (read && this.parser.accepts(read.piece)) this.take(this.parser.takePlain(read.piece, read.sites), to);
    else this.take(this.parser.parse(bytesOf(this.file.fd, from, to)), to);
    return this.refused < MOST_REFUSED;
  }
}

function endOf(start: number): number {
  return start + PIECE_BYTES;
}

/** It was there a moment ago: should the file have been cut since, what is missing is zeros, and counted as damage. */
function bytesOf(fd: number, from: number, to: number): Uint8Array {
  const bytes = new Uint8Array(to - from);
  for (let at = 0; at < bytes.length; ) {
    const count = readSync(fd, bytes, at, bytes.length - at, from + at);
    if (count === 0) break;
    at += count;
  }
  return bytes;
}

/**
 * Writes events as lines: thread and CPU, time, and a prepared text.
 */
import type { LineTexts } from './line-texts.js';

const CHUNK_BYTES = 1 << 20;
const MAX_LINE_BYTES = 4096;
const ZERO = 0x30;

export class LineWriter {
  lines = 0;
  private readonly texts: LineTexts;
  private readonly sink: (bytes: Uint8Array) => void;
  private readonly chunk = Buffer.alloc(CHUNK_BYTES);
  private length = 0;
  private flushedBytes = 0;
  private readonly originSeconds: number;
  private second = -1;
  private secondText: Uint8Array = new Uint8Array();

  /** `sink`: the bytes that it receives are overwritten later. */
  constructor(texts: LineTexts, originSeconds: number, sink: (bytes: Uint8Array) => void) {
    this.texts = texts;
    this.originSeconds = originSeconds;
    this.sink = sink;
  }

  get bytes(): number {
    return this.flushedBytes + this.length;
  }

  /** `head`: thread and CPU, see `lineHead`. */
  write(head: Uint8Array, timeNs: number, text: number): void {
    if (this.length > CHUNK_BYTES - MAX_LINE_BYTES) this.flush();
    this.append(head);
    this.appendTime(timeNs);
    const { bytes, start } = this.texts;
    this.length += bytes.copy(this.chunk, this.length, start[text], start[text + 1]);
    this.lines++;
  }

  flush(): void {
    this.sink(this.chunk.subarray(0, this.length));
    this.flushedBytes += this.length;
    this.length = 0;
  }

  private appendTime(timeNs: number): void {
    const second = Math.floor(timeNs / 1e9);
    if (second !== this.second) {
      this.second = second;
      this.secondText = Buffer.from(`${this.originSeconds + second}.`.padStart(6));
    }
    this.append(this.secondText);
    let rest = timeNs - second * 1e9;
    for (let at = this.length + 8; at >= this.length; at--) {
      this.chunk[at] = ZERO + (rest % 10);
      rest = (rest / 10) | 0;
    }
    this.length += 9;
  }

  private append(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; at++) this.chunk[this.length++] = bytes[at];
  }
}

export function lineHead(tid: number, cpu: number): Uint8Array {
  return Buffer.from(`${String(tid).padStart(5)} [${String(cpu).padStart(3, '0')}] `);
}

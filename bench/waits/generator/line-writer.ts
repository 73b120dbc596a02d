/**
 * Writes lines: thread, CPU, time, and what happened.
 */
const ORIGIN_SECONDS = 12_345;
const NS_PER_SECOND = 1e9;
const CHUNK_LINES = 8192;

export class LineWriter {
  lines = 0;
  bytes = 0;
  private readonly sink: (bytes: Uint8Array) => void;
  private chunk = '';
  private second = 0;

  constructor(sink: (bytes: Uint8Array) => void) {
    this.sink = sink;
  }

  write(tid: number, cpu: number, timeNs: number, what: string): void {
    while (timeNs >= (this.second + 1) * NS_PER_SECOND) this.second++;
    const ns = String(NS_PER_SECOND + timeNs - this.second * NS_PER_SECOND).slice(1);
    const cpuText = String(1000 + cpu).slice(1);
    this.chunk += `${String(tid).padStart(5)} [${cpuText}] ${ORIGIN_SECONDS + this.second}.${ns}: ${what}\n`;
    if (++this.lines % CHUNK_LINES === 0) this.flush();
  }

  flush(): void {
    const bytes = Buffer.from(this.chunk, 'latin1');
    this.bytes += bytes.length;
    this.sink(bytes);
    this.chunk = '';
  }
}

/**
 * Guards against malicious archives. The tar reader keeps a header in memory until it is complete: a header that never ends is
 * refused. So is an archive that unpacks to far more than any pack does.
 */

/** Far above the longest possible file name. */
const MAX_HEADER_BYTES = 1024 * 1024;

/** Compression ratios: trace hardly compresses, binaries by ten, zeros by a thousand. */
const MAX_RATIO = 100;
const MIN_ALLOWED_BYTES = 64 * 1024 * 1024;

export class HeaderGuard {
  private bytes = 0;
  private readonly maxBytes: number;

  /** `packedBytes`: size of the archive file. */
  constructor(packedBytes: number) {
    this.maxBytes = MIN_ALLOWED_BYTES + MAX_RATIO * packedBytes;
  }

  /** Bytes since the last file ended; null within a file. */
  private headerBytes: number | null = 0;

  /** Passes an archive through unchanged. */
  readonly guarded = this.guard.bind(this);

  enterFile(): void {
    this.headerBytes = null;
  }

  leaveFile(): void {
    this.headerBytes = 0;
  }

  private async *guard(archive: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const bytes of archive) {
      if ((this.bytes += bytes.length) > this.maxBytes)
        throw new Error(`it unpacks to more than ${this.maxBytes} bytes, which no pack of its size does`);
      if (this.headerBytes !== null && (this.headerBytes += bytes.length) > MAX_HEADER_BYTES)
        throw new Error('the header of a file in it does not end');
      yield bytes;
    }
  }
}

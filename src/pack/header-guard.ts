/**
 * Watches the bytes of an unpacked archive. A header of a tar archive says how long it is, and is kept in memory until it is
 * whole: one that never ends is refused. So is an archive that is far larger than anything that is packed gets.
 */

/** The longest name that a file may have is far below. */
const MAX_HEADER_BYTES = 1024 * 1024;

/** Trace hardly gets smaller, programs by a factor of ten; zeros by a thousand. */
const MAX_RATIO = 100;
const MIN_ALLOWED_BYTES = 64 * 1024 * 1024;

export class HeaderGuard {
  private bytes = 0;
  private readonly maxBytes: number;

  /** `packedBytes`: how large the archive is as it lies there. */
  constructor(packedBytes: number) {
    this.maxBytes = MIN_ALLOWED_BYTES + MAX_RATIO * packedBytes;
  }

  /** Since the last file ended; null within a file. */
  private headerBytes: number | null = 0;

  /** Passes on what it gets. */
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
        throw new Error('what stands before a file of it does not end');
      yield bytes;
    }
  }
}

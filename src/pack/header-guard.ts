/**
 * A header of a tar archive says how long it is, and is kept in memory until it is whole: one that never ends is refused.
 */

/** The longest name that a file may have is far below. */
const LONGEST_HEADER_BYTES = 1024 * 1024;

export class HeaderGuard {
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
      if (this.headerBytes !== null && (this.headerBytes += bytes.length) > LONGEST_HEADER_BYTES)
        throw new Error('what stands before a file of it does not end');
      yield bytes;
    }
  }
}

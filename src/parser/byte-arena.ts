/**
 * Bytes that are kept for good, one piece behind the other.
 */
export class ByteArena {
  length = 0;
  /** Over all pieces; another one after each piece that is added. */
  view = new DataView(new ArrayBuffer(64 * 1024));
  private bytes = new Uint8Array(this.view.buffer);

  /** Keeps a copy; where it begins. */
  add(piece: Uint8Array): number {
    while (this.length + piece.length > this.bytes.length) this.grow();
    const offset = this.length;
    this.bytes.set(piece, offset);
    this.length += piece.length;
    return offset;
  }

  private grow(): void {
    const larger = new Uint8Array(2 * this.bytes.length);
    larger.set(this.bytes);
    this.bytes = larger;
    this.view = new DataView(larger.buffer);
  }
}

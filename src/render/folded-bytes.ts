/**
 * Writes the lines of folded stacks as bytes, many at a time: a path begins like the one before it, so only its last
 * name is copied, and then the entire path.
 */
import { ROOT } from '../model/calls/call-tree.js';
import type { NodeId } from '../model/units.js';
import type { FoldedLines } from './folded-lines.js';

/** Larger than any line, unless the line is alone in its chunk. */
const CHUNK_BYTES = 2 ** 20;
/** The longest number and what surrounds it. */
const MAX_VALUE_BYTES = 32;
const [SEMICOLON, SPACE, NEWLINE, ZERO] = [0x3b, 0x20, 0x0a, 0x30];

/** Names that do not depend on the node, so that each is encoded once. */
export interface SharedNames {
  readonly names: readonly string[];
  /** By node: the row of its name. */
  readonly row: Int32Array;
}

/** Yields the lines with their newlines. `shared`: null if each node has a name of its own. */
export function* bytesOfLines(lines: FoldedLines, shared: SharedNames | null): Generator<Uint8Array> {
  const { length, depth, value, nameOf, isWritten } = lines;
  const writer = new FoldedWriter();
  const encoder = new TextEncoder();
  const encoded = shared?.names.map((name) => encoder.encode(name)) ?? [];
  for (let node: NodeId = ROOT + 1; node < length; node++) {
    writer.setName(depth[node], shared ? (encoded[shared.row[node]] as Uint8Array) : encoder.encode(nameOf(node)));
    if (!isWritten(node)) continue;
    const full = writer.takeFull(depth[node]);
    if (full) yield full;
    writer.line(depth[node], value[node]);
  }
  yield writer.take();
}

class FoldedWriter {
  /** The names of the path, each with a semicolon. */
  private path = new Uint8Array(1024);
  /** By depth: the length of the path up to there. */
  private readonly pathBytes: number[] = [0];
  private chunk = new Uint8Array(CHUNK_BYTES);
  private length = 0;

  /** Continues with a path that ends with this name at this depth, which is at most one more than the one before. */
  setName(depth: number, name: Uint8Array): void {
    const start = this.pathBytes[depth - 1] as number;
    const end = start + name.length + 1;
    if (end > this.path.length) this.path = enlarged(this.path, 2 * end);
    this.path.set(name, start);
    this.path[end - 1] = SEMICOLON;
    this.pathBytes[depth] = end;
  }

  /** Returns a chunk if the next line does not fit into it: the caller may keep it. */
  takeFull(depth: number): Uint8Array | null {
    const needed = (this.pathBytes[depth] as number) + MAX_VALUE_BYTES;
    if (this.length + needed <= this.chunk.length) return null;
    const full = this.take();
    this.chunk = new Uint8Array(Math.max(CHUNK_BYTES, needed));
    return full;
  }

  /** Writes the line of the path up to this depth; there must be space. */
  line(depth: number, value: number): void {
    const bytes = this.pathBytes[depth] as number;
    this.chunk.set(this.path.subarray(0, bytes), this.length);
    this.length += bytes;
    this.chunk[this.length - 1] = SPACE;
    if (Number.isSafeInteger(value) && value >= 0) this.digits(value);
    else this.length += new TextEncoder().encodeInto(String(value), this.chunk.subarray(this.length)).written;
    this.chunk[this.length++] = NEWLINE;
  }

  /** Returns what was written since the last chunk. */
  take(): Uint8Array {
    const written = this.chunk.subarray(0, this.length);
    this.length = 0;
    return written;
  }

  private digits(value: number): void {
    let end = this.length + 1;
    for (let power = 10; power <= value; power *= 10) end++;
    let rest = value;
    for (let at = end - 1; at >= this.length; at--) {
      const next = Math.floor(rest / 10);
      this.chunk[at] = ZERO + (rest - 10 * next);
      rest = next;
    }
    this.length = end;
  }
}

function enlarged(bytes: Uint8Array, length: number): Uint8Array<ArrayBuffer> {
  const larger = new Uint8Array(length);
  larger.set(bytes);
  return larger;
}

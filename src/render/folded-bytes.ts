/**
 * Writes the lines of folded stacks as bytes, many at a time: a path begins like the one before it, so only its last
 * name is copied, and then the entire path.
 */
import { ROOT } from '../model/calls/call-tree.js';
import { MAX_NUMBER_BYTES, putNumber } from '../model/digits.js';
import type { NodeId } from '../model/units.js';
import type { FoldedLines } from './folded-lines.js';

/** Larger than any line, unless the line is alone in its chunk. */
const CHUNK_BYTES = 2 ** 20;
/** A number and the newline after it. */
const MAX_VALUE_BYTES = MAX_NUMBER_BYTES + 1;
const [SEMICOLON, SPACE, NEWLINE] = [0x3b, 0x20, 0x0a];

/** Names that do not depend on the node, so that each is encoded once. */
export interface SharedNames {
  readonly names: readonly string[];
  /** By node: the row of its name. */
  readonly row: Int32Array;
}

/** Yields the lines with their newlines. `shared`: null if each node has a name of its own. */
export function* bytesOfLines(lines: FoldedLines, shared: SharedNames | null): Generator<Uint8Array> {
  const writer = new FoldedWriter();
  const encoder = new TextEncoder();
  const encoded = shared?.names.map((name) => encoder.encode(name)) ?? [];
  const nameOf = (node: NodeId) =>
    shared ? (encoded[shared.row[node]] as Uint8Array) : encoder.encode(lines.nameOf(node));
  for (let node: NodeId = ROOT + 1; node < lines.length; ) {
    node = fillChunk(writer, lines, nameOf, node);
    yield writer.take();
  }
}

/** Writes lines until one does not fit. Returns its node. */
function fillChunk(
  writer: FoldedWriter,
  { length, depth, value, isWritten }: FoldedLines,
  nameOf: (node: NodeId) => Uint8Array,
  from: NodeId,
): NodeId {
  for (let node = from; node < length; node++) {
    writer.setName(depth[node], nameOf(node));
    if (isWritten(node) && !writer.line(depth[node], value[node])) return node;
  }
  return length;
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

  /** Writes the line of the path up to this depth. Returns whether it fitted. */
  line(depth: number, value: number): boolean {
    const bytes = this.pathBytes[depth] as number;
    if (this.length + bytes + MAX_VALUE_BYTES > this.chunk.length) {
      if (this.length > 0) return false;
      this.chunk = new Uint8Array(bytes + MAX_VALUE_BYTES);
    }
    this.chunk.set(this.path.subarray(0, bytes), this.length);
    this.length += bytes;
    this.chunk[this.length - 1] = SPACE;
    this.length = putNumber(this.chunk, this.length, value);
    this.chunk[this.length++] = NEWLINE;
    return true;
  }

  /** Returns the lines since the last chunk; the caller may keep them. */
  take(): Uint8Array {
    const written = this.chunk.subarray(0, this.length);
    this.chunk = new Uint8Array(CHUNK_BYTES);
    this.length = 0;
    return written;
  }
}

function enlarged(bytes: Uint8Array, length: number): Uint8Array<ArrayBuffer> {
  const larger = new Uint8Array(length);
  larger.set(bytes);
  return larger;
}

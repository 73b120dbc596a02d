/**
 * Writes a profile as folded stacks: `a;b;c 19`, one line per path, for any FlameGraph tool.
 */
import { type CallTree, ROOT } from '../model/calls/call-tree.js';
import type { TraceMeta } from '../model/profile/profile.js';
import { MAX_NUMBER_BYTES, putNumber } from '../model/text.js';
import type { NodeId } from '../model/units.js';
import { cleanNames, type FoldedLines, foldedLines, type LineOptions, lineTexts, weightsOf } from './folded-lines.js';
import { type Grouping, mergeByName, type NamedTree, type Trees } from './named-tree.js';

export interface FoldedOptions extends LineOptions {
  /** Puts a root frame above the threads that belong together. */
  readonly by?: Grouping;
}

/** The parts of a profile that are written. */
export interface FoldedProfile extends Trees {
  readonly meta: Pick<TraceMeta, 'weight' | 'merged'>;
}

/**
 * Estimates the size of the lines without annotations. Each line has its full path, so the size grows with the square of the
 * depth, while the profile grows linearly.
 */
export function foldedBytes(profile: FoldedProfile, options: FoldedOptions = {}): number {
  const { by = 'none', minNs = 0 } = options;
  const { tree, names } = profile.together
    ? { tree: profile.together, names: profile.symbols.name } // names that are merged do not change much
    : named(profile, by);
  const weights = weightsOf(tree, profile.meta.weight);
  return bytesOfPaths(tree, bytesOfNames(names), (node) => weights[node] >= minNs);
}

/** Returns an upper bound for `foldedBytes`, fast because nothing is merged. */
export function maxFoldedBytes({ symbols, threads, together }: FoldedProfile): number {
  const trees = together ? [together] : threads.map(({ tree }) => tree);
  return trees.reduce((sum, tree) => sum + bytesOfPaths(tree, bytesOfNames(symbols.name), () => true), 0);
}

/** Returns the length of each name with its separator. */
export function bytesOfNames(names: readonly string[]): Int32Array {
  return Int32Array.from(names, ({ length }) => length + 1);
}

/** Estimates the size of a file with a full path for each node. `nameBytes`: by symbol. */
export function bytesOfPaths(
  { length, parent, symbol }: CallTree,
  nameBytes: Int32Array,
  isWritten: (node: NodeId) => boolean,
): number {
  const pathBytes = new Float64Array(length);
  let bytes = 0;
  for (let node: NodeId = ROOT + 1; node < length; node++) {
    pathBytes[node] = pathBytes[parent[node]] + nameBytes[symbol[node]];
    if (isWritten(node)) bytes += pathBytes[node] + MEAN_VALUE_BYTES;
  }
  return bytes;
}

/** Average size of a space, a duration and a newline. */
const MEAN_VALUE_BYTES = 6;

/** Yields the lines with their newlines: callers before callees, siblings by name in UTF-8 byte order. */
export function* renderFolded(profile: FoldedProfile, options: FoldedOptions = {}): Generator<string> {
  yield* lineTexts(linesOf(profile, options).lines);
}

/** Yields the same text as large chunks of bytes, several times as fast. */
export function* renderFoldedBytes(profile: FoldedProfile, options: FoldedOptions = {}): Generator<Uint8Array> {
  const { lines, tree, names } = linesOf(profile, options);
  yield* bytesOfLines(lines, options.annotate ? null : { row: tree.symbol, names });
}

function linesOf(profile: FoldedProfile, options: FoldedOptions): NamedTree & { readonly lines: FoldedLines } {
  const tree = named(profile, options.by ?? 'none');
  return { ...tree, lines: foldedLines(tree, profile.symbols.kind, profile.meta.weight, options) };
}

function named(profile: FoldedProfile, by: Grouping): NamedTree {
  return mergeByName(profile, by, cleanNames(profile.symbols));
}

/** Larger than any line, unless the line is alone in its chunk. */
const CHUNK_BYTES = 2 ** 20;
/** A number and the newline after it. */
const MAX_VALUE_BYTES = MAX_NUMBER_BYTES + 1;
const [SEMICOLON, SPACE, NEWLINE] = [0x3b, 0x20, 0x0a];

/**
 * Writes the lines of folded stacks as bytes, many at a time: a path begins like the one before it, so only its last
 * name is copied, and then the entire path.
 *
 * Names that do not depend on the node, so that each is encoded once.
 */
interface SharedNames {
  readonly names: readonly string[];
  /** By node: the row of its name. */
  readonly row: Int32Array;
}

/** Yields the lines with their newlines. `shared`: null if each node has a name of its own. */
function* bytesOfLines(lines: FoldedLines, shared: SharedNames | null): Generator<Uint8Array> {
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

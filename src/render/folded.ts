/**
 * Writes a profile as folded stacks: `a;b;c 19`, one line per path, for any FlameGraph tool.
 */
import { type CallTree, ROOT } from '../model/calls/call-tree.js';
import { viewOf } from '../model/calls/tree-view.js';
import type { TraceMeta } from '../model/profile/profile.js';
import { SymbolKind, type SymbolTable } from '../model/symbol-table.js';
import { MAX_NUMBER_BYTES, putNumber } from '../model/text.js';
import { NONE, type NodeId } from '../model/units.js';
import { longestInferredNs } from './format.js';
import { type Grouping, mergeByName, type NamedTree, type Naming, type Trees } from './named-tree.js';
import { visibleText } from './visible-text.js';

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

/** The lines of folded stacks, by node of a named tree. */
interface LineOptions {
  /** Adds calls, inferred calls and average duration to each name; no average if the longest call is inferred. */
  readonly annotate?: boolean;
  /** Leaves out paths with less self time. */
  readonly minNs?: number;
}

/** What lines consist of, by node in the order of the text. */
interface FoldedLines {
  readonly length: number;
  readonly depth: Int32Array;
  readonly value: Float64Array;
  /** With annotations, if they are requested. */
  readonly nameOf: (node: NodeId) => string;
  readonly isWritten: (node: NodeId) => boolean;
}

/** `kinds`: by symbol. */
export function foldedLines(
  { tree, names, symbols }: NamedTree,
  kinds: SymbolTable['kind'],
  weight: TraceMeta['weight'],
  { annotate = false, minNs = 0 }: LineOptions,
): FoldedLines {
  const isGroup = (node: NodeId) => symbols[tree.symbol[node]] === NONE;
  const isStop = (node: NodeId) => kinds[symbols[tree.symbol[node]] as number] === SymbolKind.Synthetic;
  const value = weightsOf(tree, weight);
  return {
    length: tree.length,
    depth: viewOf(tree).depth,
    value,
    nameOf(node) {
      const name = names[tree.symbol[node]] as string;
      return annotate && !isGroup(node) ? name + annotation(tree, node, isStop(node)) : name;
    },
    isWritten: (node) => value[node] >= minNs && !isGroup(node),
  };
}

function weightsOf({ calls, selfNs }: CallTree, weight: TraceMeta['weight']): Float64Array {
  return weight === 'calls' ? calls : selfNs;
}

/** Yields the lines with their newlines. */
export function* lineTexts({ length, depth, value, nameOf, isWritten }: FoldedLines): Generator<string> {
  const path: string[] = [];
  for (let node: NodeId = ROOT + 1; node < length; node++) {
    path.length = depth[node] - 1;
    path.push(nameOf(node));
    if (isWritten(node)) yield `${path.join(';')} ${value[node]}\n`;
  }
}

/** Leaves out the average if the longest call is inferred, as long stops usually are: over the others alone, it would mislead. */
function annotation(tree: CallTree, node: NodeId, isStop: boolean): string {
  const { calls, inferredCalls, completeNs, maxNs, longestCutNs } = tree;
  const inferred = inferredCalls[node] > 0 ? `(${inferredCalls[node]})` : '';
  const complete = calls[node] - inferredCalls[node];
  const isLongestInferred = longestInferredNs(maxNs[node], longestCutNs[node]) !== null || (isStop && inferred !== '');
  const hasAverage = complete > 0 && !isLongestInferred;
  const average = hasAverage ? `,avg:${Math.floor(completeNs[node] / complete + 0.5)}` : '';
  return `:${calls[node]}${inferred}${average}`;
}

/** Merges by name alone, as tools that compare folded stacks do: a name must not depend on the other files of a trace. */
export function cleanNames({ name }: Pick<SymbolTable, 'name'>): Naming {
  return { functions: name.map(cleanName), group: cleanName };
}

// Names must not contain ";" and line breaks, which separate frames and paths. Other unsafe characters are escaped, except control
// characters: they become spaces, as other tools for folded stacks write them.
function cleanName(name: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is replaced
  return visibleText(name.replace(/;/g, ':').replace(/[\x00-\x1f\x7f-\x9f\u2028\u2029]/g, ' '));
}

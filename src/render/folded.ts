/**
 * Writes a profile as folded stacks: `a;b;c 19`, one line per path, for any FlameGraph tool.
 */
import { type CallTree, ROOT } from '../model/calls/call-tree.js';
import type { TraceMeta } from '../model/profile/profile.js';
import type { NodeId } from '../model/units.js';
import { bytesOfLines } from './folded-bytes.js';
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

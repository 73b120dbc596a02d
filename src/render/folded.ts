/**
 * Writes a profile as folded stacks: `a;b;c 19`, one line per path, for any FlameGraph tool.
 */
import { type CallTree, ROOT } from '../model/calls/call-tree.js';
import { viewOf } from '../model/calls/tree-view.js';
import { SymbolKind } from '../model/names/symbol-table.js';
import type { TraceMeta } from '../model/profile/profile.js';
import { NONE, type NodeId } from '../model/units.js';
import { longestInferredNs } from './format.js';
import { type Grouping, mergeByName, type Naming, type Trees } from './named-tree.js';
import { visibleText } from './visible-text.js';

export interface FoldedOptions {
  /** Adds calls, inferred calls and average duration to each name; no average if the longest call is inferred. */
  readonly annotate?: boolean;
  /** Puts a root frame above the threads that belong together. */
  readonly by?: Grouping;
  /** Leaves out paths with less self time. */
  readonly minNs?: number;
}

/** The parts of a profile that are written. */
export interface FoldedProfile extends Trees {
  readonly meta: Pick<TraceMeta, 'weight'>;
}

/**
 * Estimates the size of the lines without annotations. Each line has its full path, so the size grows with the square of the
 * depth, while the profile grows linearly.
 */
export function foldedBytes(profile: FoldedProfile, options: FoldedOptions = {}): number {
  const { by = 'none', minNs = 0 } = options;
  const { tree, names } = mergeByName(profile, by, cleanNames(profile));
  return bytesOfPaths(tree, names, (node) => weightsOf(profile, tree)[node] >= minNs);
}

/** Returns an upper bound for `foldedBytes`, fast because nothing is merged. */
export function maxFoldedBytes({ symbols, threads, together }: FoldedProfile): number {
  const trees = together ? [together] : threads.map(({ tree }) => tree);
  return trees.reduce((sum, tree) => sum + bytesOfPaths(tree, symbols.name, () => true), 0);
}

function bytesOfPaths(
  { length, parent, symbol }: CallTree,
  names: readonly string[],
  isWritten: (node: NodeId) => boolean,
): number {
  const pathBytes = new Float64Array(length);
  let bytes = 0;
  for (let node: NodeId = ROOT + 1; node < length; node++) {
    pathBytes[node] = pathBytes[parent[node]] + (names[symbol[node]] as string).length + 1;
    if (isWritten(node)) bytes += pathBytes[node] + MEAN_VALUE_BYTES;
  }
  return bytes;
}

/** Average size of a space, a duration and a newline. */
const MEAN_VALUE_BYTES = 6;

function weightsOf({ meta }: FoldedProfile, { calls, selfNs }: CallTree): Float64Array {
  return meta.weight === 'calls' ? calls : selfNs;
}

/** Yields the lines with their newlines: callers before callees, siblings by name in UTF-8 byte order. */
export function* renderFolded(profile: FoldedProfile, options: FoldedOptions = {}): Generator<string> {
  const { annotate = false, by = 'none', minNs = 0 } = options;
  const { tree, names, symbols } = mergeByName(profile, by, cleanNames(profile));
  const value = weightsOf(profile, tree);
  const { depth } = viewOf(tree);
  const path: string[] = [];
  for (let node: NodeId = ROOT + 1; node < tree.length; node++) {
    const isGroup = symbols[tree.symbol[node]] === NONE;
    const name = names[tree.symbol[node]] as string;
    path.length = depth[node] - 1;
    const isStop = profile.symbols.kind[symbols[tree.symbol[node]] as number] === SymbolKind.Synthetic;
    path.push(annotate && !isGroup ? name + annotation(tree, node, isStop) : name);
    if (value[node] >= minNs && !isGroup) yield `${path.join(';')} ${value[node]}\n`;
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
function cleanNames({ symbols }: FoldedProfile): Naming {
  return { functions: symbols.name.map(cleanName), group: cleanName };
}

// Names must not contain ";" and line breaks, which separate frames and paths. Other unsafe characters are escaped, except control
// characters: they become spaces, as other tools for folded stacks write them.
function cleanName(name: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is replaced
  return visibleText(name.replace(/;/g, ':').replace(/[\x00-\x1f\x7f-\x9f\u2028\u2029]/g, ' '));
}

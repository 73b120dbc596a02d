/**
 * A profile as folded stacks: `a;b;c 19`, one line a path, for any FlameGraph tool.
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
  /** Adds calls, inferred calls and the average duration to each name; no average if the longest call was cut. */
  readonly annotate?: boolean;
  /** Puts a root frame above the threads that belong together. */
  readonly by?: Grouping;
  /** Leaves out paths with less self time. */
  readonly minNs?: number;
}

/** As much of a profile as is written. */
export interface FoldedProfile extends Trees {
  readonly meta: Pick<TraceMeta, 'weight'>;
}

/**
 * About how many bytes the lines take, annotations left out: each line has its whole path, so they grow with the square of the
 * depth, and the profile with the depth alone.
 */
export function foldedBytes(profile: FoldedProfile, options: FoldedOptions = {}): number {
  const { by = 'none', minNs = 0 } = options;
  const { tree, names } = mergeByName(profile, by, cleanNames(profile));
  return bytesOfPaths(tree, names, (node) => weightsOf(profile, tree)[node] >= minNs);
}

/** The same, at most: told at once, as nothing is merged. */
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

/** Of a blank, a duration, and a newline. */
const MEAN_VALUE_BYTES = 6;

function weightsOf({ meta }: FoldedProfile, { calls, selfNs }: CallTree): Float64Array {
  return meta.weight === 'calls' ? calls : selfNs;
}

/** The lines, each with its newline: callers before callees, siblings by name in UTF-8 byte order. */
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

/** Where the longest call was cut, as long stops mostly are, an average over the others alone would mislead. */
function annotation(tree: CallTree, node: NodeId, isStop: boolean): string {
  const { calls, inferredCalls, completeNs, maxNs, longestCutNs } = tree;
  const inferred = inferredCalls[node] > 0 ? `(${inferredCalls[node]})` : '';
  const complete = calls[node] - inferredCalls[node];
  const isCut = longestInferredNs(maxNs[node], longestCutNs[node]) !== null || (isStop && inferred !== '');
  const hasAverage = complete > 0 && !isCut;
  const average = hasAverage ? `,avg:${Math.floor(completeNs[node] / complete + 0.5)}` : '';
  return `:${calls[node]}${inferred}${average}`;
}

/** By name alone, as tools that compare folded stacks do: which other files a trace has must not change a name. */
function cleanNames({ symbols }: FoldedProfile): Naming {
  return { functions: symbols.name.map(cleanName), group: cleanName };
}

// ";" parts frames and a line break parts paths, so neither may stand in a name; what would act on a terminal is shown, but for
// the characters that tools of folded stacks have always found as blanks.
function cleanName(name: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this is about
  return visibleText(name.replace(/;/g, ':').replace(/[\x00-\x1f\x7f-\x9f\u2028\u2029]/g, ' '));
}

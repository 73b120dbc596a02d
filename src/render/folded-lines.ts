/**
 * The lines of folded stacks, by node of a named tree.
 */
import { type CallTree, ROOT } from '../model/calls/call-tree.js';
import { viewOf } from '../model/calls/tree-view.js';
import type { TraceMeta } from '../model/profile/profile.js';
import { SymbolKind, type SymbolTable } from '../model/symbol-table.js';
import { NONE, type NodeId } from '../model/units.js';
import { longestInferredNs } from './format.js';
import type { NamedTree, Naming } from './named-tree.js';
import { visibleText } from './visible-text.js';

export interface LineOptions {
  /** Adds calls, inferred calls and average duration to each name; no average if the longest call is inferred. */
  readonly annotate?: boolean;
  /** Leaves out paths with less self time. */
  readonly minNs?: number;
}

/** What lines consist of, by node in the order of the text. */
export interface FoldedLines {
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

export function weightsOf({ calls, selfNs }: CallTree, weight: TraceMeta['weight']): Float64Array {
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

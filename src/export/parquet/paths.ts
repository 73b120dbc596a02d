/**
 * The table of call paths: a row for each path and command name, and one for the time of threads in no known function.
 */
import { ROOT } from '../../model/calls/call-tree.js';
import { viewOf } from '../../model/calls/tree-view.js';
import { finiteOrNull, functionColumns, type Group, type Grouped } from './groups.js';
import { pathHashes } from './hashes.js';
import type { Column, Table } from './table.js';

export function pathsTable(recording: Grouped): Table {
  const groups = recording.groups.map((group) => ({
    ...group,
    path: pathHashes(group.tree, recording.hashes),
    depth: viewOf(group.tree).depth,
  }));
  const rows = rowsOf(recording.groups);
  const ofNode = <Value>(value: (group: (typeof groups)[number], node: number) => Value) => {
    return (row: number) => value(groups[rows.group[row]], rows.node[row]);
  };
  const columns: readonly Column[] = [
    { name: 'id', kind: 'text', at: () => recording.id },
    { name: 'comm', kind: 'text', isOptional: true, at: ofNode(({ comm }) => comm) },
    { name: 'path', kind: 'int64', at: ofNode(({ path }, node) => path[node]) },
    {
      name: 'parent',
      kind: 'int64',
      isOptional: true,
      at: ofNode(({ tree, path }, node) => (tree.parent[node] > ROOT ? path[tree.parent[node]] : null)),
    },
    ...functionColumns(
      recording,
      ofNode(({ tree }, node) => tree.symbol[node]),
    ),
    { name: 'depth', kind: 'int32', at: ofNode(({ depth }, node) => depth[node]) },
    { name: 'calls', kind: 'int64', at: ofNode(({ tree }, node) => tree.calls[node]) },
    { name: 'inferred_calls', kind: 'int64', at: ofNode(({ tree }, node) => tree.inferredCalls[node]) },
    { name: 'unwound_calls', kind: 'int64', at: ofNode(({ tree }, node) => tree.unwoundCalls[node]) },
    { name: 'self_ns', kind: 'int64', at: ofNode(({ tree }, node) => tree.selfNs[node]) },
    { name: 'inferred_ns', kind: 'int64', at: ofNode(({ tree }, node) => tree.inferredNs[node]) },
    { name: 'complete_ns', kind: 'int64', at: ofNode(({ tree }, node) => tree.completeNs[node]) },
    {
      name: 'longest_cut_ns',
      kind: 'int64',
      isOptional: true,
      at: ofNode(({ tree }, node) => tree.longestCutNs[node] || null),
    },
    { name: 'min_ns', kind: 'int64', isOptional: true, at: ofNode(({ tree }, node) => finiteOrNull(tree.minNs[node])) },
    { name: 'max_ns', kind: 'int64', isOptional: true, at: ofNode(({ tree }, node) => finiteOrNull(tree.maxNs[node])) },
  ];
  return { name: 'paths', rows: rows.node.length, columns };
}

/** Returns the group and the node of each row. A root without time of its own has none. */
function rowsOf(groups: readonly Group[]): { readonly group: Int32Array; readonly node: Int32Array } {
  const length = groups.reduce((sum, { tree }) => sum + tree.length - firstOf(tree), 0);
  const [group, node] = [new Int32Array(length), new Int32Array(length)];
  let row = 0;
  groups.forEach(({ tree }, at) => {
    for (let own = firstOf(tree); own < tree.length; own++) {
      group[row] = at;
      node[row++] = own;
    }
  });
  return { group, node };
}

function firstOf({ selfNs }: Group['tree']): number {
  return selfNs[ROOT] > 0 ? ROOT : ROOT + 1;
}

/**
 * The table of call paths: a row for each path and command name, and one for the time of threads in no known function.
 */
import { type CallTree, ROOT } from '../../model/calls/call-tree.js';
import { viewOf } from '../../model/calls/tree-view.js';
import { NONE } from '../../model/units.js';
import { finiteOrNull, functionColumns, type Group, type Grouped, groupColumns } from './groups.js';
import { pathHashes } from './hashes.js';
import type { Column, Table } from './table.js';

export function pathsTable(recording: Grouped): Table {
  const groups = recording.groups.map((group) => ({ ...group, depth: viewOf(group.tree).depth }));
  const rows = rowsOf(recording.groups);
  const { paths, starts } = allPaths(recording);
  const ofNode = <Value>(value: (group: (typeof groups)[number], node: number) => Value) => {
    return (row: number) => value(groups[rows.group[row]], rows.node[row]);
  };
  const parentAt = (row: number) => {
    const parent = groups[rows.group[row]].tree.parent[rows.node[row]];
    return parent > ROOT ? starts[rows.group[row]] + parent : NONE;
  };
  const count = (name: string, key: Count): Column => {
    return { name, kind: 'int64', at: ofNode(({ tree }, node) => tree[key][node]) };
  };
  const extreme = (name: string, key: Count): Column => {
    return { name, kind: 'int64', isOptional: true, at: ofNode(({ tree }, node) => finiteOrNull(tree[key][node])) };
  };
  const columns: readonly Column[] = [
    ...groupColumns(recording, (row) => rows.group[row]),
    { name: 'path', kind: 'int64', at: (row) => paths[starts[rows.group[row]] + rows.node[row]] },
    {
      name: 'parent',
      kind: 'int64',
      isOptional: true,
      keys: paths.length,
      keyAt: parentAt,
      ofKey: (at) => paths[at],
    },
    ...functionColumns(
      recording,
      ofNode(({ tree }, node) => tree.symbol[node]),
    ),
    { name: 'depth', kind: 'int32', at: ofNode(({ depth }, node) => depth[node]) },
    count('calls', 'calls'),
    count('inferred_calls', 'inferredCalls'),
    count('unwound_calls', 'unwoundCalls'),
    count('self_ns', 'selfNs'),
    count('inferred_ns', 'inferredNs'),
    count('complete_ns', 'completeNs'),
    {
      name: 'longest_cut_ns',
      kind: 'int64',
      isOptional: true,
      at: ofNode(({ tree }, node) => tree.longestCutNs[node] || null),
    },
    extreme('min_ns', 'minNs'),
    extreme('max_ns', 'maxNs'),
  ];
  return { name: 'paths', rows: rows.node.length, columns };
}

/** A column of numbers of a tree. */
type Count = { [Key in keyof CallTree]: CallTree[Key] extends Float64Array ? Key : never }[keyof CallTree];

/** Returns the numbers of the paths of all nodes, and where those of each group begin. */
function allPaths({ groups, hashes }: Grouped): { readonly paths: BigInt64Array; readonly starts: readonly number[] } {
  const starts: number[] = [];
  let length = 0;
  for (const { tree } of groups) {
    starts.push(length);
    length += tree.length;
  }
  const paths = new BigInt64Array(length);
  groups.forEach(({ tree }, at) => {
    paths.set(pathHashes(tree, hashes), starts[at]);
  });
  return { paths, starts };
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

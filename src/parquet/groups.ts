/**
 * A profile → what the rows of its tables share: the call tree of each command name, and the numbers of its functions.
 */
import { isOffCpu } from '../analysis/tree/outside.js';
import type { CallTree } from '../model/calls/call-tree.js';
import { orderedTree } from '../model/calls/node-order.js';
import { TreeSum } from '../model/calls/sum-trees.js';
import { checkMemory } from '../model/memory-watch.js';
import { dsoOf, symbolRanks } from '../model/names/symbol-order.js';
import { SymbolKind } from '../model/names/symbol-table.js';
import { compareUtf8 } from '../model/names/utf8-order.js';
import type { Profile } from '../model/profile/profile.js';
import { NONE, type SymbolId } from '../model/units.js';
import { functionHash, functionHashes } from './hashes.js';
import { type Column, constantText } from './table.js';

/** The threads of one command name. */
export interface Group {
  /** null: unknown. */
  readonly comm: string | null;
  /** Their sum, in pre-order with siblings by name. */
  readonly tree: CallTree;
}

/** A recording as its tables see it. */
export interface Grouped {
  /** 64 hex digits. */
  readonly id: string;
  readonly profile: Profile;
  /** By command name. */
  readonly groups: readonly Group[];
  /** By symbol. */
  readonly hashes: BigInt64Array;
  /** The trace records when threads lost their CPU. */
  readonly hasSwitches: boolean;
}

export function grouped(id: string, profile: Profile): Grouped {
  const groups = groupsOf(profile);
  const hasSwitches = profile.meta.hasSwitches ?? groups.some(({ tree }) => tree.symbol.some(isOffCpu));
  return { id, profile, groups, hashes: functionHashes(profile.symbols), hasSwitches };
}

function groupsOf({ together, threads, symbols }: Profile): Group[] {
  if (together !== null) return [{ comm: null, tree: together }];
  const rank = symbolRanks(symbols);
  const sums = new Map<string | null, TreeSum>();
  for (const { comm, tree } of threads) {
    const sum = sums.get(comm) ?? new TreeSum(rank);
    sums.set(comm, sum);
    sum.add(orderedTree(tree, rank));
    checkMemory();
  }
  const comms = [...sums.keys()].sort(
    (a, b) => Number(a !== null) - Number(b !== null) || compareUtf8(a ?? '', b ?? ''),
  );
  return comms.map((comm) => ({ comm, tree: (sums.get(comm) as TreeSum).build() }));
}

/** The name of the root of threads, which is no function. */
const THREAD = '[thread]';

const THREAD_KIND = 4;
const KINDS: Readonly<Record<number, string>> = {
  [SymbolKind.Function]: 'function',
  [SymbolKind.Unknown]: 'unknown',
  [SymbolKind.Synthetic]: 'stop',
  [SymbolKind.Inlined]: 'inlined',
  [THREAD_KIND]: 'thread',
};

/** Returns the columns that say which recording and which command name a row is about. `groupAt`: of a row. */
export function groupColumns({ id, groups }: Grouped, groupAt: (row: number) => number): readonly Column[] {
  const keyAt = (row: number) => (groups[groupAt(row)].comm === null ? NONE : groupAt(row));
  const ofKey = (group: number) => groups[group].comm as string;
  return [idColumn(id), { name: 'comm', kind: 'text', isOptional: true, keys: groups.length, keyAt, ofKey }];
}

export function idColumn(id: string): Column {
  return { ...constantText('id', id), isOptional: false };
}

/** Returns the columns that say which function a row is about. `symbolAt`: NONE is the root of threads. */
export function functionColumns(
  { profile: { symbols }, hashes }: Grouped,
  symbolAt: (row: number) => SymbolId,
): readonly Column[] {
  const { length, name, kind, dso, dsoName } = symbols;
  const root = length;
  const keyAt = (row: number) => (symbolAt(row) === NONE ? root : symbolAt(row));
  const fileAt = (row: number) => (dsoOf(symbols, symbolAt(row)) === null ? NONE : dso[symbolAt(row)]);
  const kindAt = (row: number) => (symbolAt(row) === NONE ? THREAD_KIND : kind[symbolAt(row)]);
  const thread = functionHash(THREAD, null);
  const ofSymbol = { keys: length + 1, keyAt } as const;
  return [
    { name: 'function', kind: 'int64', ...ofSymbol, ofKey: (key) => (key === root ? thread : hashes[key]) },
    { name: 'name', kind: 'text', ...ofSymbol, ofKey: (key) => (key === root ? THREAD : name[key]) },
    {
      name: 'file',
      kind: 'text',
      isOptional: true,
      keys: dsoName.length,
      keyAt: fileAt,
      ofKey: (key) => dsoName[key],
    },
    { name: 'kind', kind: 'text', keys: THREAD_KIND + 1, keyAt: kindAt, ofKey: (key) => KINDS[key] as string },
  ];
}

/** Returns the value of a row; null where no call has one: Infinity, −Infinity or NaN. */
export function finiteOrNull(value: number): number | null {
  return Number.isFinite(value) ? value : null;
}

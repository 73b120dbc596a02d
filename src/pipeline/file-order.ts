/**
 * Numbers symbols and sites by content, so that a trace file depends neither on the order of the inputs nor on which worker was
 * faster.
 */

import type { SymbolTable } from '../model/symbol-table.js';
import { SymbolTableBuilder } from '../model/symbol-table.js';
import { type BranchSites, RECORD_SITES } from '../model/trace/branch-sites.js';
import { NONE, type SiteId, type SymbolId } from '../model/units.js';

const SPECIAL = new SymbolTableBuilder().build().length;

/** A table in its new order, and the new row of each old row. */
interface Ordered<Table> {
  readonly table: Table;
  readonly rankOf: Uint32Array;
}

/** Sorts by file, then by name; a table built by interning the rows in this order is the same. */
export function orderedSymbols({ length, name, kind, dso, dsoName }: SymbolTable): Ordered<SymbolTable> {
  const fileOf = (row: SymbolId) => dsoName[dso[row] as number] ?? '';
  const rows = rowsFrom(SPECIAL, length).sort(
    (a, b) =>
      Number(dso[a] !== NONE) - Number(dso[b] !== NONE) ||
      compareTexts(fileOf(a), fileOf(b)) ||
      compareTexts(name[a] as string, name[b] as string),
  );
  const order = [...rowsFrom(0, Math.min(SPECIAL, length)), ...rows];
  const files = [...new Set(rows.filter((row) => dso[row] !== NONE).map(fileOf))];
  const fileRow = new Map(files.map((file, row) => [file, row]));
  const table = {
    length,
    name: order.map((row) => name[row] as string),
    kind: order.map((row) => kind[row] as SymbolTable['kind'][number]),
    dso: order.map((row) => (dso[row] === NONE ? NONE : (fileRow.get(fileOf(row)) as number))),
    dsoName: files,
  };
  return { table, rankOf: ranksOf(order) };
}

/** Sorts by source address, then by target address: the branches of a function are adjacent. */
export function orderedSites(sites: BranchSites, symbolRank: Uint32Array): Ordered<BranchSites> {
  const renamed = {
    ...sites,
    fromSymbol: sites.fromSymbol.map((symbol) => (symbol === NONE ? NONE : symbolRank[symbol])),
    toSymbol: sites.toSymbol.map((symbol) => (symbol === NONE ? NONE : symbolRank[symbol])),
  };
  const { from, to, kind, edge, fromSymbol, toSymbol, fromStart, toStart } = renamed;
  const rows = rowsFrom(RECORD_SITES, sites.length).sort(
    (a, b) =>
      from[a] - from[b] ||
      to[a] - to[b] ||
      kind[a] - kind[b] ||
      edge[a] - edge[b] ||
      fromSymbol[a] - fromSymbol[b] ||
      toSymbol[a] - toSymbol[b] ||
      compareStarts(fromStart[a], fromStart[b]) ||
      compareStarts(toStart[a], toStart[b]),
  );
  const order = [...rowsFrom(0, RECORD_SITES), ...rows];
  return { table: sitesInOrder(renamed, order), rankOf: ranksOf(order) };
}

function sitesInOrder(sites: BranchSites, order: readonly SiteId[]): BranchSites {
  return {
    length: sites.length,
    kind: sites.kind.map((_, row) => sites.kind[order[row] as SiteId]),
    edge: sites.edge.map((_, row) => sites.edge[order[row] as SiteId]),
    fromSymbol: sites.fromSymbol.map((_, row) => sites.fromSymbol[order[row] as SiteId]),
    toSymbol: sites.toSymbol.map((_, row) => sites.toSymbol[order[row] as SiteId]),
    from: sites.from.map((_, row) => sites.from[order[row] as SiteId]),
    to: sites.to.map((_, row) => sites.to[order[row] as SiteId]),
    fromStart: sites.fromStart.map((_, row) => sites.fromStart[order[row] as SiteId]),
    toStart: sites.toStart.map((_, row) => sites.toStart[order[row] as SiteId]),
  };
}

function rowsFrom(start: number, end: number): number[] {
  return Array.from({ length: Math.max(0, end - start) }, (_, index) => start + index);
}

function ranksOf(order: readonly number[]): Uint32Array {
  const rankOf = new Uint32Array(order.length);
  order.forEach((row, rank) => {
    rankOf[row] = rank;
  });
  return rankOf;
}

function compareTexts(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}

/** NaN, for an offset that was not printed, sorts before all others. */
function compareStarts(a: number, b: number): number {
  return Number(Number.isNaN(b)) - Number(Number.isNaN(a)) || (a === b ? 0 : a < b ? -1 : 1);
}

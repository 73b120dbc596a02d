/**
 * Places that perf gives the name of a stub, though it knows that they are no part of it: `clock@plt+0xffffaaaaaaaab000`
 * is the head of lld's linkage table, `memcpy@plt+0xffffffffff22f000` the vdso. They have no name.
 */

import { SpecialSymbol, SymbolKind, type SymbolTable } from '../../model/names/symbol-table.js';
import type { BranchSites } from '../../model/trace/branch-sites.js';
import { type Address, NONE, type SymbolId } from '../../model/units.js';
import { Trait, traitsOf } from './traits.js';

export class MisnamedStubs {
  /** By symbol, 1: the name of a stub. */
  private readonly isStub: Uint8Array;
  private readonly hasOffsets: boolean;
  private readonly symbols: SymbolTable;

  constructor({ fromStart }: BranchSites, symbols: SymbolTable) {
    const { name, kind } = symbols;
    this.symbols = symbols;
    this.isStub = Uint8Array.from(kind, (own, row) => (traitsOf(own, name[row] as string) & Trait.Stub ? 1 : 0));
    this.hasOffsets = fromStart.some((start) => !Number.isNaN(start));
  }

  /** `start`: where the symbol begins, by the offset that was printed; NaN if that was too large to be believed. */
  has(symbol: SymbolId, start: Address): boolean {
    return Number.isNaN(start) && this.hasOffsets && this.isStub[symbol] === 1;
  }

  /** What stands for places of the same file where perf finds no symbol. */
  namelessSymbolFor(symbol: SymbolId): SymbolId {
    const { kind, dso } = this.symbols;
    const row = kind.findIndex((own, at) => own === SymbolKind.Unknown && dso[at] === dso[symbol]);
    return row === NONE ? SpecialSymbol.Unknown : row;
  }
}

/**
 * Finds addresses to which perf gives the name of a stub that they are not part of: `clock@plt+0xffffaaaaaaaab000` is
 * the head of lld's linkage table, `memcpy@plt+0xffffffffff22f000` the vdso. They are treated as nameless.
 */

import { SpecialSymbol, SymbolKind, type SymbolTable } from '../../model/names/symbol-table.js';
import type { BranchSites } from '../../model/trace/branch-sites.js';
import { type Address, NONE, type SymbolId } from '../../model/units.js';
import { Trait, traitsOf } from './traits.js';

export class MisnamedStubs {
  /** By symbol: 1 if it is the name of a stub. */
  private readonly isStub: Uint8Array;
  private readonly hasOffsets: boolean;
  private readonly symbols: SymbolTable;

  constructor({ fromStart }: BranchSites, symbols: SymbolTable) {
    const { name, kind } = symbols;
    this.symbols = symbols;
    this.isStub = Uint8Array.from(kind, (own, row) => (traitsOf(own, name[row] as string) & Trait.Stub ? 1 : 0));
    this.hasOffsets = fromStart.some((start) => !Number.isNaN(start));
  }

  /** `start`: where the symbol begins, by the printed offset; NaN if the offset was too large to be plausible. */
  has(symbol: SymbolId, start: Address): boolean {
    return Number.isNaN(start) && this.hasOffsets && this.isStub[symbol] === 1;
  }

  /** Returns the symbol that stands for addresses of the same file where perf finds no symbol. */
  namelessSymbolFor(symbol: SymbolId): SymbolId {
    const { kind, dso } = this.symbols;
    const row = kind.findIndex((own, at) => own === SymbolKind.Unknown && dso[at] === dso[symbol]);
    return row === NONE ? SpecialSymbol.Unknown : row;
  }
}

/**
 * Numbers the symbols of waits as in the page.
 */
import type { WaitsByPath } from '../../model/profile/waits-by-path.js';
import { NONE, type SymbolId } from '../../model/units.js';

/** Returns the symbols that waits use, some several times. */
export function waitSymbols({ paths, places }: WaitsByPath): SymbolId[] {
  const named = places.flatMap(({ blockers, longest }) => [...blockers, ...longest.pieces]);
  return [...paths.symbol, ...named.map(({ symbol }) => symbol)].filter((symbol) => symbol !== NONE);
}

export function withSymbols({ paths, places, ...waits }: WaitsByPath, rankOf: Int32Array): WaitsByPath {
  const rank = (symbol: SymbolId) => (symbol === NONE ? NONE : rankOf[symbol]);
  const ranked = <Named extends { readonly symbol: SymbolId }>(named: Named): Named => {
    return { ...named, symbol: rank(named.symbol) };
  };
  return {
    ...waits,
    paths: { ...paths, symbol: paths.symbol.map(rank) },
    places: places.map(({ blockers, longest, ...place }) => {
      return { ...place, blockers: blockers.map(ranked), longest: { ...longest, pieces: longest.pieces.map(ranked) } };
    }),
  };
}

/**
 * The functions that compilers inlined where events come from: frames between the function on the stack and what it calls there.
 *
 * An inlined function has no call and no return of its own, so its frames have no calls and no time: these belong to what is
 * called from its code.
 */
import { NONE, type SiteId, type SymbolId } from '../../model/units.js';

export interface InlinedCode {
  /** By site: where its chain begins in `symbols`; or NONE. */
  readonly chain: Int32Array;
  /** Chains of functions, outermost first; NONE ends each. */
  readonly symbols: Int32Array; // SymbolId | NONE
  /** By symbol: 1 if it stands for an inlined function. */
  readonly isInlined: Uint8Array;
}

/** Returns whether the event of a site comes from inlined code. */
export function isInlinedAt(inlined: InlinedCode | null, site: SiteId): boolean {
  return inlined !== null && inlined.chain[site] !== NONE;
}

/** Calls `onSymbol` with each inlined function at a site, outermost first. */
export function eachInlined({ chain, symbols }: InlinedCode, site: SiteId, onSymbol: (symbol: SymbolId) => void): void {
  const first = chain[site];
  if (first === NONE) return;
  for (let at = first; symbols[at] !== NONE; at++) onSymbol(symbols[at]);
}

/**
 * Finds the functions that compilers inlined at places in the code of binaries.
 */
import { demangle } from '../demangle/demangle.js';
import { type InlineChain, inlineChains } from '../dwarf/inline-chains.js';
import { askDebugInfo, type DebugInfoOptions, type TracedCode } from './debug-info.js';

/** Returns the names of the functions inlined at each place, outermost first; empty where there are none, or where they are unknown. */
export function inlinedFunctions(
  file: string,
  code: readonly TracedCode[],
  options: DebugInfoOptions,
): (readonly string[])[] {
  const names = new Array<readonly string[]>(code.length).fill([]);
  const demangled = new Map<string, string>();
  const chains = new Map<InlineChain, readonly string[]>(); // many places have the same one
  const plain = (name: string) => {
    const known = demangled.get(name) ?? demangle(name) ?? name;
    demangled.set(name, known);
    return known;
  };
  askDebugInfo(file, code, '.debug_info', inlineChains, options, (row, chain) => {
    let own = chains.get(chain);
    if (own === undefined) chains.set(chain, (own = chain.map(plain)));
    names[row] = own;
  });
  return names;
}

/**
 * Finds the functions that compilers inlined at places in the code of binaries.
 */
import { demangle } from '../demangle/demangle.js';
import { inlineChains } from '../dwarf/inline-chains.js';
import { askDebugInfo, type DebugInfoOptions, type TracedCode } from './debug-info.js';

/** Returns the names of the functions inlined at each place, outermost first; empty where there are none, or where they are unknown. */
export function inlinedFunctions(
  file: string,
  code: readonly TracedCode[],
  options: DebugInfoOptions,
): (readonly string[])[] {
  const names = new Array<readonly string[]>(code.length).fill([]);
  askDebugInfo(file, code, '.debug_info', inlineChains, options, (row, chain) => {
    names[row] = chain.map((name) => demangle(name) ?? name);
  });
  return names;
}

/**
 * Turns the name that the linker sees into the one that perf prints, for all languages.
 */
import { demangleItanium } from './itanium/itanium.js';
import { demangleOcaml } from './ocaml.js';
import { demangleRustLegacy } from './rust/legacy.js';
import { demangleRustV0 } from './rust/v0.js';

/** Returns null if the name is not mangled. */
export function demangle(name: string): string | null {
  if (!name.startsWith('_')) return demangleOcaml(name);
  return demangleRustV0(name) ?? demangleRustLegacy(name) ?? demangleItanium(name);
}

/**
 * A name as the linker sees it → as perf prints it, whatever the language.
 */
import { demangleItanium } from './itanium.js';
import { demangleOcaml } from './ocaml.js';
import { demangleRustLegacy } from './rust-legacy.js';
import { demangleRustV0 } from './rust-v0.js';

/** null if it is no mangled name. */
export function demangle(name: string): string | null {
  if (!name.startsWith('_')) return demangleOcaml(name);
  return demangleRustV0(name) ?? demangleRustLegacy(name) ?? demangleItanium(name);
}

/**
 * Demangles OCaml: `camlStdlib__array__map_154` → `Stdlib.array.map_154`.
 */
const OCAML = /^caml[A-Z]/;

/** Returns null if it is not an OCaml name. */
export function demangleOcaml(mangled: string): string | null {
  if (!OCAML.test(mangled)) return null;
  return mangled.slice('caml'.length).replace(/__|\$([0-9a-f]{2})/gi, (_, code?: string) => {
    return code === undefined ? '.' : String.fromCharCode(Number.parseInt(code, 16));
  });
}

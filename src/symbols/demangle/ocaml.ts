/**
 * `camlStdlib__array__map_154` → `Stdlib.array.map_154`, as perf prints names of OCaml.
 */
const OCAML = /^caml[A-Z]/;

/** null if it is none. */
export function demangleOcaml(mangled: string): string | null {
  if (!OCAML.test(mangled)) return null;
  return mangled.slice('caml'.length).replace(/__|\$([0-9a-f]{2})/gi, (_, code?: string) => {
    return code === undefined ? '.' : String.fromCharCode(Number.parseInt(code, 16));
  });
}

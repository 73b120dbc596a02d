/**
 * Distinguishes functions with the same name in different files.
 */
import { shortFileName } from './mapped-files.js';

interface Named {
  readonly name: string;
  readonly dso: string | null;
}

/** Returns the suffix of each name: ` (libz.so.1)` if another file has a function of that name, otherwise empty. */
export function filesBehindNames(functions: readonly Named[]): string[] {
  const filesOf = new Map<string, Set<string | null>>();
  for (const { name, dso } of functions) {
    const files = filesOf.get(name);
    if (files === undefined) filesOf.set(name, new Set([dso]));
    else files.add(dso);
  }
  return functions.map(({ name, dso }) => {
    const files = filesOf.get(name) as ReadonlySet<string | null>;
    if (dso === null || files.size === 1) return '';
    const short = shortFileName(dso);
    const isClear = [...files].every((file) => file === dso || file === null || shortFileName(file) !== short);
    return ` (${isClear ? short : dso})`;
  });
}

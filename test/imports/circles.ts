/**
 * Finds files that import each other in a circle.
 */
import { type FileNeeds, targetOf } from './file-needs.js';

/** Returns the files of a circle in the order of their imports; null if there is none. */
export function circleAmong(files: readonly FileNeeds[]): readonly string[] | null {
  const imports = new Map(files.map((file) => [file.path, targetsOf(file)]));
  const finished = new Set<string>();
  const circleFrom = (path: string, above: readonly string[]): readonly string[] | null => {
    if (above.includes(path)) return [...above.slice(above.indexOf(path)), path];
    if (finished.has(path)) return null;
    for (const target of imports.get(path) ?? []) {
      const circle = circleFrom(target, [...above, path]);
      if (circle !== null) return circle;
    }
    finished.add(path);
    return null;
  };
  for (const path of imports.keys()) {
    const circle = circleFrom(path, []);
    if (circle !== null) return circle;
  }
  return null;
}

function targetsOf({ path, imports }: FileNeeds): string[] {
  return imports.filter((name) => name.startsWith('.')).map((name) => targetOf(name, path));
}

/**
 * Names functions for tables: equal names of different binaries get their binary appended.
 */
import { filesBehindNames } from '../../src/model/symbol-table.js';

interface Named {
  readonly name: string;
  readonly dso: string | null;
}

/** Returns a function that names these functions. */
export function distinctNames(functions: readonly Named[]): (named: Named) => string {
  const suffixes = filesBehindNames(functions);
  const fileOf = new Map(functions.map((named, row) => [functionKey(named), suffixes[row]]));
  return (named) => named.name + (fileOf.get(functionKey(named)) ?? '');
}

/** Returns an equal text for equal functions of the same binary. */
export function functionKey({ name, dso }: Named): string {
  return `${dso}\n${name}`;
}

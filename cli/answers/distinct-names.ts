/**
 * What functions are called side by side: those of one name in several files have their file behind it.
 */
import { filesBehindNames } from '../../src/answers.js';

interface Named {
  readonly name: string;
  readonly dso: string | null;
}

/** Names functions of these. */
export function distinctNames(functions: readonly Named[]): (named: Named) => string {
  const behind = filesBehindNames(functions);
  const fileOf = new Map(functions.map((named, row) => [identity(named), behind[row]]));
  return (named) => named.name + (fileOf.get(identity(named)) ?? '');
}

/** Equal for the same function of the same file. */
export function identity({ name, dso }: Named): string {
  return `${dso}\n${name}`;
}

/**
 * A file of tests, or a part of one, that needs a program → skipped where that is missing.
 */
import { beforeEach, inject } from 'vitest';
import type { ProgramName } from './programs.js';

export function isMissing(name: ProgramName): boolean {
  return inject('programs')[name] === undefined;
}

/** For all tests of the file or of the `describe` that it is called in. */
export function needs(...names: readonly ProgramName[]): void {
  const missing = names.filter(isMissing);
  beforeEach(({ skip }) => skip(missing.length > 0, `needs ${missing.join(' and ')}`));
}

/** The path of one that `needs` has asked for. */
export function pathOf(name: ProgramName): string {
  const path = inject('programs')[name];
  if (path === undefined) throw new Error(`a test uses ${name} without needs('${name}')`);
  return path;
}

/**
 * Skips tests that need a missing program.
 */
import { beforeEach, inject } from 'vitest';
import type { ProgramName } from './programs.js';

export function isMissing(name: ProgramName): boolean {
  return inject('programs')[name] === undefined;
}

/** Applies to all tests of the file, or of the `describe` in which it is called. */
export function needs(...names: readonly ProgramName[]): void {
  const missing = names.filter(isMissing);
  beforeEach(({ skip }) => skip(missing.length > 0, `needs ${missing.join(' and ')}`));
}

/** Returns the path of a program that `needs` has requested. */
export function pathOf(name: ProgramName): string {
  const path = inject('programs')[name];
  if (path === undefined) throw new Error(`a test uses ${name} without needs('${name}')`);
  return path;
}

/**
 * Formats what a recording lacks for an answer about waits.
 */
import type { WaitsAnswer } from '../../src/answers.js';
import { visibleText } from '../../src/text.js';

export function missingLines(missing: WaitsAnswer['missing']): string[] {
  return missing.map(({ what, remedy }) => `note: ${visibleText(what)}${remedy === null ? '' : `; ${remedy}`}`);
}

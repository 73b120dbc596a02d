/**
 * Formats what a recording lacks for an answer about waits.
 */
import type { WaitsAnswer } from '../../src/questions/waits/schema.js';
import { visibleText } from '../../src/render/visible-text.js';

export function missingLines(missing: WaitsAnswer['missing']): string[] {
  return missing.map(({ what, remedy }) => `note: ${visibleText(what)}${remedy === null ? '' : `; ${remedy}`}`);
}

/**
 * Prints messages of a running command to standard error.
 */
import { visibleText as escapeForTerminal } from '../../src/render/visible-text.js';
import { fitted } from './width.js';

/** The only writer to standard error while commands run: escapes control characters, as names in a trace can hold any. */
export function notify(line: string): void {
  for (const part of fitted([escapeForTerminal(line)], process.stderr)) process.stderr.write(`${part}\n`);
}

/** Returns `notify`, or a function that does nothing if `quiet`. */
export function notifier(quiet: boolean): (text: string) => void {
  return quiet ? () => {} : notify;
}

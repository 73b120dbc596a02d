/**
 * What a command tells while it works: lines on standard error.
 */
import { visibleText as escapeForTerminal } from '../../src/text.js';

/** The one door to standard error: names are other people's text, and act on no terminal. */
export function notify(line: string): void {
  process.stderr.write(`${escapeForTerminal(line)}\n`);
}

export function notifier(quiet: boolean): (text: string) => void {
  return quiet ? () => {} : notify;
}

/**
 * What a command tells while it works: lines on standard error.
 */
import { visibleText as escapeForTerminal } from '../../src/text.js';

export function sayer(quiet: boolean): (text: string) => void {
  return quiet ? () => {} : (text) => void process.stderr.write(`${escapeForTerminal(text)}\n`);
}

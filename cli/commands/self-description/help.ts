/**
 * `ptflame help`: prints help about ptflame or a command, or the man page.
 */
import type { HelpOptions } from '../../options/help.js';
import { helpWidth } from '../../terminal/width.js';
import type { Command, Program } from '../../usage/command.js';
import { commandHelp, overview } from '../../usage/help.js';
import { manPage } from '../../usage/man-page.js';

/** `command`: null for ptflame as a whole. */
export function help(command: Command | null, { man }: Pick<HelpOptions, 'man'>, program: Program): void {
  if (man) return void process.stdout.write(manPage(program));
  const lines = command === null ? overview(program, helpWidth()) : commandHelp(command, program, helpWidth());
  process.stdout.write(`${lines.join('\n')}\n`);
}

/**
 * `ptflame help`: what ptflame and its commands do, on standard output.
 */
import type { HelpOptions } from '../options.js';
import { printed } from '../printed.js';
import { helpWidth } from '../terminal/width.js';
import type { Command } from '../usage/command.js';
import { unknownCommand } from '../usage/complaints.js';
import { commandHelp, overview } from '../usage/help.js';
import { manPage } from '../usage/man-page.js';

export async function help(
  { command: name, man }: Pick<HelpOptions, 'command' | 'man'>,
  commands: readonly Command[],
): Promise<void> {
  if (man) return printed(manPage(commands));
  const command = commands.find((each) => each.name === name);
  if (command === undefined && name !== undefined) throw unknownCommand(name, commands, false);
  const lines = command === undefined ? overview(commands, helpWidth()) : commandHelp(command, helpWidth());
  await printed(`${lines.join('\n')}\n`);
}

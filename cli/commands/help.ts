/**
 * `ptflame help`: prints help about ptflame or a command, or the man page.
 */

import * as z from 'zod';
import { general } from '../options/shared.js';
import { helpWidth } from '../terminal/width.js';
import { type Command, loadCommands, type Program } from '../usage/command.js';
import { defineCommand } from '../usage/define-command.js';
import { flag, group } from '../usage/flag.js';
import { commandHelp, completeHelp, overview } from '../usage/help.js';
import { manPage } from '../usage/man-page.js';
import { commandOf } from '../usage/usage-errors.js';

/** The options of `ptflame help`. */
const HelpOptions = z.object({
  command: z.string().optional(),
  ...group('Output', { man: flag(z.boolean().default(false), 'print the man page: ptflame help --man | man -l -') }),
  ...general(),
});

export const command = defineCommand({
  examples: [
    ['ptflame help render', 'the same as ptflame render --help'],
    ['ptflame help render --help-all', 'all its options'],
    ['ptflame help --man | man -l -', 'the man page'],
  ],
  arguments: [{ property: 'command', placeholder: 'COMMAND', description: 'a command', isOptional: true }],
  schema: HelpOptions,
  run: async ({ command: name, man }, _signal, { program }) => {
    const command = await commandOf(name, program.commands);
    await help(command, { man, isComplete: false }, program);
  },
});

/** What is printed of a command: the man page of all, all its options, or those that most users need. */
interface HelpForm {
  readonly man: boolean;
  readonly isComplete: boolean;
}

/** `command`: null for ptflame as a whole. */
export async function help(command: Command | null, { man, isComplete }: HelpForm, program: Program): Promise<void> {
  const text = man
    ? manPage(program, await loadCommands(program.commands))
    : `${helpLines(command, isComplete, program).join('\n')}\n`;
  process.stdout.write(text);
}

function helpLines(command: Command | null, isComplete: boolean, program: Program): string[] {
  if (command === null) return overview(program, helpWidth());
  return (isComplete ? completeHelp : commandHelp)(command, program, helpWidth());
}

/**
 * `ptflame help`: prints help about ptflame or a command, or the man page.
 */
import { helpWidth } from '../../terminal/width.js';
import type { Command, Program } from '../../usage/command.js';
import { commandHelp, completeHelp, overview } from '../../usage/help.js';
import { manPage } from '../../usage/man-page.js';

/** What is printed of a command: the man page of all, all its options, or those that most users need. */
interface HelpForm {
  readonly man: boolean;
  readonly isComplete: boolean;
}

/** `command`: null for ptflame as a whole. */
export function help(command: Command | null, { man, isComplete }: HelpForm, program: Program): void {
  process.stdout.write(man ? manPage(program) : `${helpLines(command, isComplete, program).join('\n')}\n`);
}

function helpLines(command: Command | null, isComplete: boolean, program: Program): string[] {
  if (command === null) return overview(program, helpWidth());
  return (isComplete ? completeHelp : commandHelp)(command, program, helpWidth());
}

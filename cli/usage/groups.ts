/**
 * Parts of the description that help, completion and the man page share.
 */
import type { Argument, Command, Task } from './command.js';
import type { Flag } from './flag.js';

const TASKS: readonly Task[] = ['Record', 'Look', 'Ask', 'Keep and move', 'Help'];

/** The commands by what they are for, in the order in which users need them. */
export function byTask(commands: readonly Command[]): [Task, Command[]][] {
  return TASKS.map((task) => [task, commands.filter((command) => command.task === task)]);
}

/** "INPUT...", "[SHELL]". */
export function argumentText({ word, isMany, isOptional }: Argument): string {
  const text = isMany ? `${word}...` : word;
  return isOptional ? `[${text}]` : text;
}

/** Flags by the headings that they stand under, in their order. */
export function flagGroups(flags: readonly Flag[]): [heading: string, flags: Flag[]][] {
  const groups = new Map<string, Flag[]>();
  for (const each of flags) groups.set(each.group, [...(groups.get(each.group) ?? []), each]);
  return [...groups];
}

/**
 * Groups commands by task and flags by heading, for help, the man page and the reference.
 */
import type { Argument, Command, Task } from './command.js';
import type { Flag } from './flag.js';

const TASKS: readonly Task[] = ['Record', 'Draw', 'Analyze', 'Convert and inspect', 'Help'];

/** Groups commands by task, in the order in which users need them. */
export function byTask(commands: readonly Command[]): [Task, Command[]][] {
  return TASKS.map((task) => [task, commands.filter((command) => command.task === task)]);
}

/** "INPUT...", "[SHELL]". */
export function argumentText({ placeholder, isMany, isOptional }: Argument): string {
  const text = isMany ? `${placeholder}...` : placeholder;
  return isOptional ? `[${text}]` : text;
}

/** Groups flags by heading, in their order. */
export function flagGroups(flags: readonly Flag[]): [heading: string, flags: Flag[]][] {
  const groups = new Map<string, Flag[]>();
  for (const each of flags) groups.set(each.group, [...(groups.get(each.group) ?? []), each]);
  return [...groups];
}

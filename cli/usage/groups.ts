/**
 * Groups commands by task and flags by heading, for help, the man page and the reference.
 */
import type { Argument, CommandEntry, Program, Task } from './command.js';
import type { Flag } from './flag.js';

export function byTask<Listed extends CommandEntry>(
  tasks: readonly Task[],
  commands: readonly Listed[],
): [Task, Listed[]][] {
  return tasks.map((task) => [task, commands.filter((command) => command.task === task)]);
}

/** "Waits and probes, of recordings made with …". */
export function taskText({ title, about }: Task): string {
  return about === undefined ? title : `${title}, ${about}`;
}

/** The other commands of its task: "ptflame locks, ptflame requests". */
export function relatives({ name, task }: CommandEntry, { commands }: Program): string {
  const others = commands.filter((each) => each.task === task && each.name !== name);
  return others.map((each) => `ptflame ${each.name}`).join(', ');
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

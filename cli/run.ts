/**
 * Parses the arguments and runs the command.
 */
import { PROGRAM } from './program/program.js';
import { notify } from './terminal/notify.js';
import { type Invocation, parseInvocation } from './usage/invocation.js';

/**
 * Returns the name of the command that ran.
 *
 * @throws PtflameError BAD_OPTION for invalid arguments; whatever the command throws
 */
export async function run(argv: readonly string[], signal: AbortSignal): Promise<string> {
  const invocation = parseInvocation(argv, PROGRAM.commands);
  if (invocation.kind !== 'run') {
    await describe(invocation);
    return 'help';
  }
  const { command, values, notes, recordedCommand } = invocation;
  if (values['noColor'] === true) process.env['NO_COLOR'] = '1';
  if (values['quiet'] !== true) for (const note of notes) notify(`note: ${note}`);
  await command.run(values, signal, recordedCommand);
  return command.name;
}

async function describe(invocation: Exclude<Invocation, { kind: 'run' }>): Promise<void> {
  const { help, version } = await import('./commands/self-description.js');
  if (invocation.kind === 'version') return version();
  return help(invocation.command, { man: false, isComplete: invocation.isComplete }, PROGRAM);
}

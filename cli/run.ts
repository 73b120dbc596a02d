/**
 * Parses the arguments and runs the command.
 */
import { PROGRAM } from './program.js';
import { notify } from './terminal/notify.js';
import { type Invocation, parseInvocation } from './usage/invocation.js';

/**
 * Returns the name of the command that ran.
 *
 * @throws PtflameError BAD_OPTION for invalid arguments; whatever the command throws
 */
export async function run(argv: readonly string[], signal: AbortSignal): Promise<string> {
  const invocation = await parseInvocation(argv, PROGRAM.commands);
  if (invocation.kind !== 'run') {
    await describe(invocation);
    return 'help';
  }
  const { command, values, notes, recordedCommand } = invocation;
  if (values['noColor'] === true) process.env['NO_COLOR'] = '1';
  if (values['quiet'] !== true) for (const note of notes) notify(`note: ${note}`);
  await command.run(values, signal, { recordedCommand, program: PROGRAM });
  return command.name;
}

async function describe(invocation: Exclude<Invocation, { kind: 'run' }>): Promise<void> {
  if (invocation.kind === 'version') return (await import('./version.js')).version();
  return (await import('./commands/help.js')).help(
    invocation.command,
    { man: false, isComplete: invocation.isComplete },
    PROGRAM,
  );
}

/**
 * Defines a command by a schema and a function: derives its flags and checks values before it runs.
 */
import type { z } from 'zod';
import { checkOptions, refuseIneffective } from './check.js';
import type { Argument, Command } from './command.js';
import { flagsOf } from './flag.js';

interface CommandDefinition<Schema extends z.ZodObject>
  extends Omit<Command, 'flags' | 'retired' | 'run' | 'arguments' | 'runsCommand'> {
  readonly schema: () => Schema;
  readonly arguments?: readonly Argument[];
  readonly runsCommand?: boolean;
  /** Formats of its outputs, if some of its flags apply only to some formats. */
  readonly formats?: (options: z.infer<Schema>) => readonly string[];
  readonly run: (
    options: z.infer<Schema>,
    signal: AbortSignal,
    recordedCommand: readonly string[] | null,
  ) => Promise<void>;
}

export function defineCommand<Schema extends z.ZodObject>(definition: CommandDefinition<Schema>): Command {
  const { schema, run, formats, arguments: positional = [], runsCommand = false, ...rest } = definition;
  const all = () =>
    flagsOf(
      schema(),
      positional.map(({ property }) => property),
    );
  return {
    ...rest,
    arguments: positional,
    runsCommand,
    flags: () => all().filter(({ instead }) => instead === null),
    retired: () => all().filter(({ instead }) => instead !== null),
    run: async (values, signal, recordedCommand) => {
      const options = checkOptions(schema(), values, positional);
      if (formats) refuseIneffective(all(), options, formats(options));
      await run(options, signal, recordedCommand);
    },
  };
}

/**
 * A schema and a function → a command: its flags, and a run that checks them first.
 */
import type { z } from 'zod';
import { checkOptions, refuseIneffective } from './check.js';
import type { Argument, Command } from './command.js';
import { flagsOf } from './flag.js';

interface CommandOf<Schema extends z.ZodObject> extends Omit<Command, 'flags' | 'run' | 'arguments' | 'runsCommand'> {
  readonly schema: Schema;
  readonly arguments?: readonly Argument[];
  readonly runsCommand?: boolean;
  /** Of its outputs, where some of its flags have an effect on some formats only. */
  readonly formats?: (options: z.infer<Schema>) => readonly string[];
  readonly run: (options: z.infer<Schema>, signal: AbortSignal, toRun: readonly string[] | null) => Promise<void>;
}

export function command<Schema extends z.ZodObject>(about: CommandOf<Schema>): Command {
  const { schema, run, formats, arguments: words = [], runsCommand = false, ...rest } = about;
  const flags = () =>
    flagsOf(
      schema,
      words.map(({ property }) => property),
    );
  return {
    ...rest,
    arguments: words,
    runsCommand,
    flags,
    run: async (values, signal, toRun) => {
      const options = checkOptions(schema, values, words);
      if (formats) refuseIneffective(flags(), options, formats(options));
      await run(options, signal, toRun);
    },
  };
}

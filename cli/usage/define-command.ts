/**
 * Defines a command by a schema and a function: derives its flags and checks values before it runs.
 */
import type { z } from 'zod';
import { PtflameError } from '../../src/model/errors.js';
import type { Argument, CommandBody, CommandContext } from './command.js';
import { type Flag, flagsOf, kebabCase } from './flag.js';
import { invalidChoice, withHelp } from './usage-errors.js';

interface CommandDefinition<Schema extends z.ZodObject>
  extends Omit<CommandBody, 'flags' | 'retired' | 'run' | 'arguments' | 'runsCommand'> {
  readonly schema: Schema;
  readonly arguments?: readonly Argument[];
  readonly runsCommand?: boolean;
  /** Formats of its outputs, if some of its flags apply only to some formats. */
  readonly formats?: (options: z.infer<Schema>) => readonly string[];
  readonly run: (options: z.infer<Schema>, signal: AbortSignal, context: CommandContext) => Promise<void>;
}

export function defineCommand<Schema extends z.ZodObject>(definition: CommandDefinition<Schema>): CommandBody {
  const { schema, run, formats, arguments: positional = [], runsCommand = false, ...rest } = definition;
  const all = flagsOf(
    schema,
    positional.map(({ property }) => property),
  );
  return {
    ...rest,
    arguments: positional,
    runsCommand,
    flags: all.filter(({ instead }) => instead === null),
    retired: all.filter(({ instead }) => instead !== null),
    run: async (values, signal, context) => {
      const options = checkOptions(schema, values, positional);
      if (formats) refuseIneffective(all, options, formats(options));
      await run(options, signal, context);
    },
  };
}

/**
 * Checks flags and arguments by the schema of a command and returns its options.
 *
 * `values`: flags and arguments that were given; defaults come from the schema. `positional`: the arguments, for messages.
 *
 * @throws PtflameError BAD_OPTION that names each invalid flag
 */
function checkOptions<Schema extends z.ZodObject>(
  schema: Schema,
  values: Readonly<Record<string, unknown>>,
  positional: readonly Argument[],
): z.infer<Schema> {
  const result = schema.safeParse(values);
  if (result.success) return result.data;
  const faults = result.error.issues.map((issue) => {
    const property = String(issue.path[0]);
    const name =
      positional.find((argument) => argument.property === property)?.placeholder ?? `--${kebabCase(property)}`;
    if (values[property] === undefined) return { message: `${name} is required`, hint: missingHint(schema, property) };
    if (issue.code === 'invalid_value') return invalidChoice(name, values[property], issue.values.map(String));
    return { message: `${name} ${issue.message}`, hint: null };
  });
  const hint = faults.flatMap((fault) => fault.hint ?? []).join(' ') || null;
  throw new PtflameError('BAD_OPTION', faults.map(({ message }) => message).join('; '), {
    hint: withHelp(hint, '--help'),
  });
}

/** "add --output FILE"; null for an argument. */
function missingHint(schema: z.ZodObject, property: string): string | null {
  const flag = flagsOf(schema).find((each) => each.property === property);
  return flag === undefined ? null : `add --${flag.name} ${flag.value}`;
}

/**
 * Refuses a flag that affects none of the outputs, unless its value is the default.
 *
 * @param formats - of the outputs
 * @throws PtflameError BAD_OPTION
 */
function refuseIneffective(
  flags: readonly Flag[],
  options: Readonly<Record<string, unknown>>,
  formats: readonly string[],
): void {
  const isGiven = ({ property, defaultValue }: Flag) =>
    options[property] !== undefined && options[property] !== defaultValue;
  const ineffective = flags.find(
    (flag) => flag.formats !== null && isGiven(flag) && !flag.formats.some((format) => formats.includes(format)),
  );
  if (ineffective === undefined) return;
  const { name, formats: supported } = ineffective;
  throw new PtflameError('BAD_OPTION', `--${name} has no effect on ${formats.join(', ')} output`, {
    hint: `leave it out: it is for ${new Intl.ListFormat('en-GB').format(supported ?? [])}; see --help`,
  });
}

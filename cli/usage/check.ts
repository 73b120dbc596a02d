/**
 * What was given → the options of a command, checked by its schema.
 */
import type { z } from 'zod';
import { PtflameError } from '../../src/text.js';
import type { Argument } from './command.js';
import { type Flag, flagsOf, kebab } from './flag.js';
import { withHelp, wrongChoice } from './usage-errors.js';

/**
 * Only what was given is in `values`; defaults come from the schema. `words`: the arguments among them, for messages.
 *
 * @throws PtflameError BAD_OPTION that names each flag that is wrong
 */
export function checkOptions<Schema extends z.ZodObject>(
  schema: Schema,
  values: Readonly<Record<string, unknown>>,
  words: readonly Argument[],
): z.infer<Schema> {
  const result = schema.safeParse(values);
  if (result.success) return result.data;
  const faults = result.error.issues.map((issue) => {
    const property = String(issue.path[0]);
    const name = words.find((word) => word.property === property)?.word ?? `--${kebab(property)}`;
    if (values[property] === undefined) return { message: `${name} is needed`, hint: missingHint(schema, property) };
    if (issue.code === 'invalid_value') return wrongChoice(name, values[property], issue.values.map(String));
    return { message: `${name} ${issue.message}`, hint: null };
  });
  const hint = faults.flatMap((fault) => fault.hint ?? []).join(' ') || null;
  throw new PtflameError('BAD_OPTION', faults.map(({ message }) => message).join('; '), {
    hint: withHelp(hint, '--help'),
  });
}

/** "add --output FILE". */
function missingHint(schema: z.ZodObject, property: string): string | null {
  const flag = flagsOf(schema).find((each) => each.property === property);
  return flag === undefined ? null : `add --${flag.name} ${flag.value}`;
}

/**
 * A flag that changes nothing in what was asked for is refused: whoever gives it expects something of it. As its default
 * it says nothing.
 *
 * @param formats - of the outputs: it is enough that one of them can use it
 * @throws PtflameError BAD_OPTION
 */
export function refuseIneffective(
  flags: readonly Flag[],
  options: Readonly<Record<string, unknown>>,
  formats: readonly string[],
): void {
  const isGiven = ({ property, fallback }: Flag) => options[property] !== undefined && options[property] !== fallback;
  const useless = flags.find(
    (flag) => flag.formats !== null && isGiven(flag) && !flag.formats.some((format) => formats.includes(format)),
  );
  if (useless === undefined) return;
  const { name, formats: its } = useless;
  throw new PtflameError('BAD_OPTION', `--${name} has no effect on ${formats.join(', ')} output`, {
    hint: `leave it out: it is for ${its?.join(' and ')}; see --help`,
  });
}

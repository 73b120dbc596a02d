/**
 * zod schemas → yargs options, and what yargs read → checked values.
 */
import type { Options } from 'yargs';
import type { z } from 'zod';
import { PtflameError } from '../src/text.js';
import type { FlagMeta } from './options.js';

/** The flags of a schema as yargs wants them: names in kebab case. Positional arguments are not among them. */
export function yargsOptions(schema: z.ZodObject, positional: readonly string[]): Record<string, Options> {
  const fields = Object.entries(schema.shape).filter(([name]) => !positional.includes(name));
  return Object.fromEntries(fields.map(([name, field]) => [kebab(name), yargsOption(field as z.ZodType)]));
}

function yargsOption(field: z.ZodType): Options {
  const { description = '', alias, valueOptional } = (field.meta() ?? {}) as FlagMeta & { description?: string };
  const { kind, fallback, choices } = unwrap(field);
  const option: Options = { describe: description };
  if (kind === 'array') Object.assign(option, { type: 'array', string: true });
  else option.type = kind;
  if (kind !== 'boolean' && !valueOptional) option.requiresArg = true;
  if (alias) option.alias = alias;
  if (choices) option.choices = choices;
  if (fallback !== undefined && fallback !== false && fallback !== 0) option.default = fallback;
  return option;
}

interface Unwrapped {
  readonly kind: 'boolean' | 'number' | 'string' | 'array';
  readonly fallback?: unknown;
  readonly choices?: string[];
}

/** What is inside of optional(), default() and transform(). */
function unwrap(field: z.ZodType, fallback?: unknown): Unwrapped {
  const { def } = field as z.ZodType & { def: Record<string, unknown> & { type: string } };
  switch (def.type) {
    case 'optional':
      return unwrap(def['innerType'] as z.ZodType, fallback);
    case 'default':
      return unwrap(def['innerType'] as z.ZodType, def['defaultValue']);
    case 'pipe':
      return unwrap(def['in'] as z.ZodType, fallback);
    case 'enum':
      return { kind: 'string', fallback, choices: Object.keys(def['entries'] as object) };
    case 'boolean':
    case 'number':
    case 'array':
      return { kind: def.type, fallback };
    default:
      return { kind: 'string', fallback };
  }
}

/** Stands for a lone "-" on its way through yargs, which loses it; no argument of a process can hold a NUL. */
const STANDARD_STREAM = '\0';

/** Arguments as yargs can take them; `checkOptions` turns them back. */
export function argumentsForYargs(argv: readonly string[]): string[] {
  return argv.map((argument) => (argument === '-' ? STANDARD_STREAM : argument));
}

/** The one command that runs another takes it from behind "--": as it stands there, yargs never sees it. */
const RUNS_COMMANDS = 'record';

export function splitAtCommand(argv: readonly string[]): { ours: readonly string[]; toRun: readonly string[] | null } {
  const at = argv.indexOf('--');
  if (at < 0 || argv[0] !== RUNS_COMMANDS) return { ours: argv, toRun: null };
  return { ours: argv.slice(0, at), toRun: argv.slice(at + 1) };
}

/** Of a flag that is no list and was given twice, the last one counts: what a script sets can be overruled. */
function restored(schema: z.ZodObject, values: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const restore = (value: unknown) => (value === STANDARD_STREAM ? '-' : value);
  const fields = Object.entries(schema.shape).filter(([name]) => values[name] !== undefined);
  return Object.fromEntries(
    fields.map(([name, field]) => {
      const all = [values[name]].flat().map(restore);
      return [name, unwrap(field as z.ZodType).kind === 'array' ? all : all.at(-1)];
    }),
  );
}

/**
 * Checks what yargs read.
 *
 * @throws PtflameError BAD_OPTION with one line for each flag that is wrong
 */
export function checkOptions<Schema extends z.ZodObject>(
  schema: Schema,
  values: Readonly<Record<string, unknown>>,
): z.infer<Schema> {
  refuseLeftOver(values['_']);
  const result = schema.safeParse(restored(schema, values));
  if (result.success) return result.data;
  const lines = result.error.issues.map(({ path, message }) => {
    const name = String(path[0]);
    return `--${kebab(name)} ${values[name] === undefined ? 'is needed' : message}`;
  });
  throw new PtflameError('BAD_OPTION', lines.join('; '), { hint: 'see --help' });
}

/** yargs takes what stands behind "--" for nobody's: an input must not be left out in silence. */
function refuseLeftOver(words: unknown): void {
  const [, leftOver] = Array.isArray(words) ? words : [];
  if (leftOver === undefined) return;
  throw new PtflameError('BAD_OPTION', `unexpected argument: ${leftOver}`, {
    hint: 'a file whose name begins with - is written ./-NAME',
  });
}

function kebab(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/**
 * Derives the flags of a command from its zod schema, for parsing, checks, help, completion and the man page.
 */
import type { z } from 'zod';

/** What a schema states about a flag in addition to its type. */
export interface FlagMeta {
  readonly alias?: string;
  /** Placeholder of its value in help: FILE, DIR, N, … The shell completes FILE and DIR. */
  readonly value?: string;
  /** The value may be omitted and is '' then. */
  readonly valueOptional?: boolean;
  /** Its value is a list of numbers, which may be several words: `-p 12 34`, as a shell splits the output of pidof. */
  readonly takesNumbers?: boolean;
  /** Why there may be no value: 'no such process: is it running?'. */
  readonly whenEmpty?: string;
  /** Its heading in help. */
  readonly group?: string;
  /** Output formats that it affects. Default: all. */
  readonly formats?: readonly string[];
  /** Earlier spellings, which still work, with the value that each had, or null if it took one: `--threads` for `--by thread`. */
  readonly formerly?: Readonly<Record<string, string | null>>;
  /** Still works, but is in no help: what to write instead. */
  readonly instead?: string;
  /** Among the ten or so that most users need, which `--help` shows; a text is shown there instead of the description. */
  readonly common?: true | string;
}

export interface Flag {
  /** "temp-dir", for `--temp-dir`. */
  readonly name: string;
  /** "tempDir": its name in the options of the command. */
  readonly property: string;
  readonly alias: string | null;
  readonly kind: 'boolean' | 'number' | 'string';
  /** May be given more than once. */
  readonly isList: boolean;
  /** Placeholder of its value; null: takes no value. */
  readonly value: string | null;
  readonly isValueOptional: boolean;
  readonly takesNumbers: boolean;
  readonly whenEmpty: string | null;
  readonly choices: readonly string[] | null;
  readonly defaultValue: unknown;
  readonly description: string;
  readonly group: string;
  readonly formats: readonly string[] | null;
  /** Earlier spellings by name. */
  readonly formerly: Readonly<Record<string, string | null>>;
  /** What to write instead; null: nothing else. */
  readonly instead: string | null;
  /** What `--help` says; null: only `--help-all` shows the flag. */
  readonly short: string | null;
}

export function flag<Schema extends z.ZodType>(schema: Schema, description: string, meta: FlagMeta = {}): Schema {
  return schema.meta({ description, ...meta });
}

/** Puts fields under one heading. */
export function group<Fields extends Readonly<Record<string, z.ZodType>>>(heading: string, fields: Fields): Fields {
  const entries = Object.entries(fields).map(([name, field]) => [
    name,
    field.meta({ ...field.meta(), group: heading }),
  ]);
  return Object.fromEntries(entries);
}

/** Returns the flags of a schema in its order. `positional`: fields that are arguments, not flags. */
export function flagsOf(schema: z.ZodObject, positional: readonly string[] = []): Flag[] {
  const fields = Object.entries(schema.shape).filter(([property]) => !positional.includes(property));
  return fields.map(([property, field]) => flagOf(property, field as z.ZodType));
}

function flagOf(property: string, field: z.ZodType): Flag {
  const meta = (field.meta() ?? {}) as FlagMeta & { description?: string };
  const { kind, isList, defaultValue, choices } = unwrap(field);
  const placeholder = meta.value ?? (choices?.join('|') || (kind === 'number' ? 'N' : 'TEXT'));
  return {
    name: kebabCase(property),
    property,
    alias: meta.alias ?? null,
    kind,
    isList,
    value: kind === 'boolean' ? null : placeholder,
    isValueOptional: meta.valueOptional ?? false,
    takesNumbers: meta.takesNumbers ?? false,
    whenEmpty: meta.whenEmpty ?? null,
    choices,
    defaultValue,
    description: meta.description ?? '',
    group: meta.group ?? 'Other',
    formats: meta.formats ?? null,
    formerly: meta.formerly ?? {},
    instead: meta.instead ?? null,
    short: meta.common === true ? (meta.description ?? '') : (meta.common ?? null),
  };
}

interface UnwrappedField extends Pick<Flag, 'kind' | 'isList' | 'choices'> {
  readonly defaultValue?: unknown;
}

/** Returns what optional(), default() and transform() wrap. */
function unwrap(field: z.ZodType, defaultValue?: unknown): UnwrappedField {
  const { def } = field as z.ZodType & { def: Record<string, unknown> & { type: string } };
  switch (def.type) {
    case 'optional':
      return unwrap(def['innerType'] as z.ZodType, defaultValue);
    case 'default':
      return unwrap(def['innerType'] as z.ZodType, def['defaultValue']);
    case 'pipe':
      return unwrap(def['in'] as z.ZodType, defaultValue);
    case 'enum':
      return { kind: 'string', isList: false, defaultValue, choices: Object.keys(def['entries'] as object) };
    case 'boolean':
    case 'number':
      return { kind: def.type, isList: false, defaultValue, choices: null };
    default:
      return { kind: 'string', isList: def.type === 'array', defaultValue, choices: null };
  }
}

export function kebabCase(property: string): string {
  return property.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

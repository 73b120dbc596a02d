/**
 * zod schemas → the flags of a command. Help, completion, the man page, parsing and the checks all read them from here.
 */
import type { z } from 'zod';

/** What a schema says of a flag beside its type. */
export interface FlagMeta {
  readonly alias?: string;
  /** What help calls its value: FILE, DIR, N, … FILE and DIR are completed as such. */
  readonly value?: string;
  /** It may stand without a value, which is then ''. */
  readonly valueOptional?: boolean;
  /** The heading that it stands under in help. */
  readonly group?: string;
  /** The output formats that it has an effect on. Default: all. */
  readonly formats?: readonly string[];
}

export interface Flag {
  /** "temp-dir", for `--temp-dir`. */
  readonly name: string;
  /** "tempDir", in the options of a command. */
  readonly property: string;
  readonly alias: string | null;
  readonly kind: 'boolean' | 'number' | 'string';
  /** It may be given more than once. */
  readonly isList: boolean;
  /** What its value is called; null: it takes none. */
  readonly value: string | null;
  readonly isValueOptional: boolean;
  readonly choices: readonly string[] | null;
  /** What holds without it; undefined: nothing. */
  readonly fallback: unknown;
  readonly description: string;
  readonly group: string;
  readonly formats: readonly string[] | null;
}

export function flag<Schema extends z.ZodType>(schema: Schema, description: string, meta: FlagMeta = {}): Schema {
  return schema.meta({ description, ...meta });
}

/** Puts all of them under one heading. */
export function group<Fields extends Readonly<Record<string, z.ZodType>>>(heading: string, fields: Fields): Fields {
  const entries = Object.entries(fields).map(([name, field]) => [
    name,
    field.meta({ ...field.meta(), group: heading }),
  ]);
  return Object.fromEntries(entries);
}

/** The flags of a schema, in its order; `positional` names the fields that are arguments. */
export function flagsOf(schema: z.ZodObject, positional: readonly string[] = []): Flag[] {
  const fields = Object.entries(schema.shape).filter(([property]) => !positional.includes(property));
  return fields.map(([property, field]) => flagOf(property, field as z.ZodType));
}

function flagOf(property: string, field: z.ZodType): Flag {
  const meta = (field.meta() ?? {}) as FlagMeta & { description?: string };
  const { kind, isList, fallback, choices } = unwrap(field);
  const placeholder = meta.value ?? (choices?.join('|') || (kind === 'number' ? 'N' : 'TEXT'));
  return {
    name: kebab(property),
    property,
    alias: meta.alias ?? null,
    kind,
    isList,
    value: kind === 'boolean' ? null : placeholder,
    isValueOptional: meta.valueOptional ?? false,
    choices,
    fallback,
    description: meta.description ?? '',
    group: meta.group ?? 'Other',
    formats: meta.formats ?? null,
  };
}

interface Unwrapped extends Pick<Flag, 'kind' | 'isList' | 'choices'> {
  readonly fallback?: unknown;
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
      return { kind: 'string', isList: false, fallback, choices: Object.keys(def['entries'] as object) };
    case 'boolean':
    case 'number':
      return { kind: def.type, isList: false, fallback, choices: null };
    default:
      return { kind: 'string', isList: def.type === 'array', fallback, choices: null };
  }
}

export function kebab(property: string): string {
  return property.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

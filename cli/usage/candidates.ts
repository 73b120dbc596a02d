/**
 * Describes what a shell can complete as a value or an argument.
 */
import type { Argument, Command } from './command.js';
import type { Flag } from './flag.js';

export type Candidates =
  | { readonly kind: 'choices'; readonly choices: readonly string[] }
  | { readonly kind: 'files' | 'directories' | 'nothing' };

/** Returns null for a flag that takes no value. */
export function valueCandidates({ value, choices, kind }: Flag): Candidates | null {
  if (kind === 'boolean') return null;
  if (choices !== null) return { kind: 'choices', choices };
  return { kind: value === 'FILE' ? 'files' : value === 'DIR' ? 'directories' : 'nothing' };
}

/** `commands`: the candidates for `ptflame help`. */
export function argumentCandidates(
  { choices, isFile, placeholder }: Argument,
  commands: readonly Command[],
): Candidates {
  if (placeholder === 'COMMAND') return { kind: 'choices', choices: commands.map(({ name }) => name) };
  if (choices !== undefined) return { kind: 'choices', choices };
  return { kind: isFile ? 'files' : 'nothing' };
}

/** "-o", "--output". */
export function spellings({ name, alias }: Flag): string[] {
  return [...(alias === null ? [] : [`-${alias}`]), `--${name}`];
}

/** 'it'\''s': quotes a word for a POSIX shell. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

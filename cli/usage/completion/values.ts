/**
 * What a shell can offer where a value or an argument stands.
 */
import type { Argument, Command } from '../command.js';
import type { Flag } from '../flag.js';

/** Of a flag that takes no value: null. */
export type Offer =
  | { readonly kind: 'choices'; readonly choices: readonly string[] }
  | { readonly kind: 'files' | 'directories' | 'nothing' };

export function offerOf({ value, choices, kind }: Flag): Offer | null {
  if (kind === 'boolean') return null;
  if (choices !== null) return { kind: 'choices', choices };
  return { kind: value === 'FILE' ? 'files' : value === 'DIR' ? 'directories' : 'nothing' };
}

/** `commands`: what may stand behind `ptflame help`. */
export function offerOfArgument({ choices, isFile, word }: Argument, commands: readonly Command[]): Offer {
  if (word === 'COMMAND') return { kind: 'choices', choices: commands.map(({ name }) => name) };
  if (choices !== undefined) return { kind: 'choices', choices };
  return { kind: isFile ? 'files' : 'nothing' };
}

/** "-o", "--output". */
export function spellings({ name, alias }: Flag): string[] {
  return [...(alias === null ? [] : [`-${alias}`]), `--${name}`];
}

/** 'it'\''s': as a shell takes it for what it is. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

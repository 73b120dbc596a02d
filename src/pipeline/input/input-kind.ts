/**
 * What an input is, told by its first characters: a profile begins as a JSON object does, and no line of a trace.
 */

import { peek } from './peek.js';
import type { TraceInput } from './trace-input.js';

export type InputKind = 'trace' | 'profile';

/** A thread may be called "{", so that the bracket alone does not tell. */
const JSON_OBJECT = /^\s*\{\s*(?:["}]|$)/;
const TWO_CHARACTERS = /\S\s*\S/;
const MOST_BLANKS = 64 * 1024;

/** Looks at an input; go on with the one that it gives, which still has all its bytes. */
export async function detectInputKind<Input extends TraceInput>(
  input: Input,
): Promise<Input & { readonly kind: InputKind }> {
  const { first, all } = await peek(input.bytes, isEnough);
  return { ...input, bytes: all, kind: JSON_OBJECT.test(textOf(first)) ? 'profile' : 'trace' };
}

function isEnough(first: Uint8Array): boolean {
  return first.length >= MOST_BLANKS || TWO_CHARACTERS.test(textOf(first));
}

function textOf(first: Uint8Array): string {
  return Buffer.from(first.subarray(0, MOST_BLANKS)).toString('latin1');
}

/**
 * Detects what an input is by its first characters: a profile begins like a JSON object, which no line of a trace does.
 */

import { peek } from './peek.js';
import type { TraceInput } from './trace-input.js';

export type InputKind = 'trace' | 'profile';

/** A thread may be named "{", so the brace alone is not enough. */
const JSON_OBJECT = /^\s*\{\s*(?:["}]|$)/;
const TWO_CHARACTERS = /\S\s*\S/;
const MAX_BLANKS = 64 * 1024;

/** Detects the kind of an input. Use the returned input from then on: it still has all its bytes. */
export async function detectInputKind<Input extends TraceInput>(
  input: Input,
): Promise<Input & { readonly kind: InputKind }> {
  const { first, all } = await peek(input.bytes, isEnough);
  return { ...input, bytes: all, kind: JSON_OBJECT.test(textOf(first)) ? 'profile' : 'trace' };
}

function isEnough(first: Uint8Array): boolean {
  return first.length >= MAX_BLANKS || TWO_CHARACTERS.test(textOf(first));
}

function textOf(first: Uint8Array): string {
  return Buffer.from(first.subarray(0, MAX_BLANKS)).toString('latin1');
}

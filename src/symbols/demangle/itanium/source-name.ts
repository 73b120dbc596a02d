/**
 * Parses source names: `3foo` → `foo`.
 */

import { fail } from '../not-mangled.js';
import type { Cursor } from './cursor.js';

const ANONYMOUS = /^_GLOBAL_[._$]N/;

export function parseSourceName(cursor: Cursor): string {
  const length = cursor.number();
  const name = cursor.text.slice(cursor.at, cursor.at + length);
  if (length === 0 || name.length < length) fail();
  cursor.at += length;
  cursor.lastName = ANONYMOUS.test(name) ? '(anonymous namespace)' : name;
  return cursor.lastName;
}

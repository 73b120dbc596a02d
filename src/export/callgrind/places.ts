/**
 * Where costs are in a callgrind file: functions, then threads, which call the functions without a caller.
 */

import { dsoOf } from '../../model/names/symbol-order.js';
import { lineOf, type SymbolTable } from '../../model/names/symbol-table.js';
import type { Profile } from '../../model/profile/profile.js';
import { threadNoun } from '../../render/format.js';
import { frameNames } from '../../render/frame-names.js';
import { visibleText } from '../../render/visible-text.js';
import { threadName } from '../thread-name.js';

export interface Place {
  readonly name: string;
  /** Its source file, and its binary. */
  readonly file: string;
  readonly binary: string;
  /** The line where the function begins; 0: unknown. */
  readonly line: number;
}

/** What readers show for a file that is not known. */
const UNKNOWN = '???';

export function placesOf(symbols: SymbolTable, { threads, meta }: Pick<Profile, 'threads' | 'meta'>): readonly Place[] {
  const functions = frameNames(symbols).map((name, row) => {
    const at = lineOf(symbols, row);
    const [file, binary] = [at?.file ?? UNKNOWN, dsoOf(symbols, row) ?? UNKNOWN].map(visibleText) as [string, string];
    return { name, file, binary, line: at?.line ?? 0 };
  });
  const callers = threads.map((thread) => {
    const name = meta.merged ? visibleText(thread.comm ?? '') : threadName(thread);
    return { name: `${threadNoun(meta)} ${name}`, file: UNKNOWN, binary: UNKNOWN, line: 0 };
  });
  return [...functions, ...callers];
}

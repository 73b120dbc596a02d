/**
 * Turns --filter, --only and --binary into perf's address filters, which limit the trace to ranges of code.
 */
import { PtflameError } from '../../../src/model/errors.js';
import type { RecordOptions } from '../../options/record.js';

/** Returns the arguments of `perf record --filter`; paths stay as given. */
export function addressFilters({ filter = [], only = [], binary }: RecordOptions): string[] {
  if (only.length > 0 && binary === undefined)
    throw new PtflameError('BAD_OPTION', '--only needs the binary that contains the function', {
      hint: 'add --binary FILE',
    });
  if (only.length === 0 && binary !== undefined)
    throw new PtflameError('BAD_OPTION', '--binary needs a function', { hint: 'add --only FUNCTION' });
  for (const name of only)
    refuseSeparators(name, /[\s,/@]/, 'a function', 'use the name that nm prints (C++: the mangled name)');
  if (binary !== undefined) refuseSeparators(binary, /[\s,]/, 'a file', 'link to it under a name without them: ln -s');
  return [...filter, ...only.map((name) => `filter ${name} @ ${binary}`)];
}

/** perf splits filters at these characters and has no way to quote them. */
function refuseSeparators(text: string, separators: RegExp, what: string, hint: string): void {
  if (!separators.test(text)) return;
  throw new PtflameError(
    'BAD_OPTION',
    `perf cannot filter by ${what} whose name has blanks, commas or similar characters: ${text}`,
    {
      hint,
    },
  );
}

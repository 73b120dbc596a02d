/**
 * Address filters: what is recorded while the program runs there, and nowhere else.
 */
import { PtflameError } from '../../../src/text.js';
import type { RecordOptions } from '../../options/record.js';

/** perf's filters, each of one range or more; the paths in them as given. */
export function addressFilters({ filter = [], only = [], binary }: RecordOptions): string[] {
  if (only.length > 0 && binary === undefined)
    throw new PtflameError('BAD_OPTION', '--only needs the file that the function is in', {
      hint: 'add --binary FILE',
    });
  if (only.length === 0 && binary !== undefined)
    throw new PtflameError('BAD_OPTION', '--binary needs a function', { hint: 'add --only FUNCTION' });
  for (const name of only)
    refuseSeparators(name, /[\s,/@]/, 'a function', 'give it the name that nm prints (C++: the mangled one)');
  if (binary !== undefined) refuseSeparators(binary, /[\s,]/, 'a file', 'make a link to it under another name: ln -s');
  return [...filter, ...only.map((name) => `filter ${name} @ ${binary}`)];
}

/** perf takes its filters apart at them, and knows no quotes. */
function refuseSeparators(text: string, separators: RegExp, what: string, hint: string): void {
  if (!separators.test(text)) return;
  throw new PtflameError('BAD_OPTION', `perf cannot filter by ${what} with a blank, a comma or the like: ${text}`, {
    hint,
  });
}

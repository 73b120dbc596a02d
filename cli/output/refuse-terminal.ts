/**
 * Refuses to print pictures and bytes to a terminal.
 */
import { PtflameError } from '../../src/model/errors.js';
import { exampleName, type Format, isBinary } from './formats.js';
import { isTerminal } from './outputs.js';

/** Refuses to print anything but folded stacks to a terminal, unless `-o -` requests it, and bytes even then. */
export function refuseTerminal(
  { output }: { readonly output?: readonly string[] | undefined },
  formats: readonly Format[],
): void {
  for (const [at, format] of formats.entries()) {
    const isRequested = output !== undefined && !isBinary(format);
    if (format === 'folded' || isRequested || !isTerminal(output?.[at] ?? '-')) continue;
    throw new PtflameError('BAD_OPTION', `${format} is not printed to a terminal`, {
      hint: `name a file: -o ${exampleName(format)}${isBinary(format) ? '' : ', or print it with -o -'}; see --help`,
    });
  }
}

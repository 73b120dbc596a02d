/**
 * A block that cannot be read. Of an error that another thread throws only the words arrive: so it is known by them.
 */
const MARK = 'trace file: ';

export class BlockFault extends Error {
  constructor(what: string) {
    super(`${MARK}${what}`);
  }
}

/** What is wrong, in words; null if the error is another one. */
export function blockFault(error: unknown): string | null {
  return error instanceof Error && error.message.startsWith(MARK) ? error.message.slice(MARK.length) : null;
}

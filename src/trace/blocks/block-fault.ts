/**
 * The error for a block that cannot be read. Of a worker's error only the message arrives, so a prefix marks it.
 */
const MARK = 'trace file: ';

export class BlockFault extends Error {
  constructor(what: string) {
    super(`${MARK}${what}`);
  }
}

/** Returns what is wrong, or null for any other error. */
export function blockFault(error: unknown): string | null {
  return error instanceof Error && error.message.startsWith(MARK) ? error.message.slice(MARK.length) : null;
}

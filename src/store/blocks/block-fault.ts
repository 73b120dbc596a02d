/**
 * The error for a block that cannot be read. Only the message of a worker's error reaches the main thread, so a prefix marks it.
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

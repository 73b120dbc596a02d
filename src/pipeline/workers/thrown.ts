/**
 * Errors that workers throw: of an error only the message arrives, so it contains the rest.
 */
import { type ErrorCode, PtflameError } from '../../model/errors.js';

const MARK = 'ptflame: ';

/** Returns the error as it is thrown in a worker. */
export function toThrow(error: unknown): Error {
  if (!(error instanceof PtflameError)) return error instanceof Error ? error : new Error(String(error));
  const { code, message, hint } = error;
  return new Error(`${MARK}${JSON.stringify({ code, message, hint })}`);
}

/** Returns the error that a worker has thrown. */
export function thrown(error: unknown): unknown {
  if (!(error instanceof Error) || !error.message.startsWith(MARK)) return error;
  const { code, message, hint } = JSON.parse(error.message.slice(MARK.length));
  return new PtflameError(code as ErrorCode, message, { hint, cause: error });
}

/**
 * How a parser gives up: names that are not mangled are frequent, so the error is built once.
 */

/** The text does not match the grammar. Ends the parser; its caller returns null. */
export class NotMangled extends Error {}

const notMangled = new NotMangled('not a mangled name');

export function fail(): never {
  throw notMangled;
}

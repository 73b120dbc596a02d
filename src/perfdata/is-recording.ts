/**
 * Recognizes recordings. Separate from the code that reads them, so that other inputs do not load that.
 */

const MAGIC = [...'PERFILE2'].map((character) => character.charCodeAt(0));

/** `first`: the first bytes of a file. */
export function isRecording(first: Uint8Array): boolean {
  return MAGIC.every((byte, at) => first[at] === byte);
}

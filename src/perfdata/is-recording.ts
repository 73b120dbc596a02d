/**
 * Is a file a recording? Apart from what reads it, so that other inputs do not load that.
 */

const MAGIC = [...'PERFILE2'].map((character) => character.charCodeAt(0));

/** Told by its first bytes. */
export function isRecording(first: Uint8Array): boolean {
  return MAGIC.every((byte, at) => first[at] === byte);
}

/**
 * A file to which all workers append at the same time, each at a place of its own: large results stay out of memory.
 */
import { writeAt } from '../../host/files.js';
import { sharableBytes } from '../../model/shared-memory.js';

/** Plain data: the descriptor is valid in all workers of the process. */
export interface SharedFile {
  readonly fd: number;
  /** In shared memory, one number: how many bytes are taken. */
  readonly taken: BigInt64Array;
}

export interface Place {
  readonly at: number;
  readonly length: number;
}

/** `fd`: of an empty file. */
export function sharedFile(fd: number): SharedFile {
  return { fd, taken: new BigInt64Array(sharableBytes(BigInt64Array.BYTES_PER_ELEMENT)) };
}

/** Returns where the bytes are. @throws the system error if they cannot be written */
export function appendShared({ fd, taken }: SharedFile, bytes: Uint8Array): Place {
  const { length } = bytes;
  const at = Number(Atomics.add(taken, 0, BigInt(length)));
  writeAt(fd, bytes, at);
  return { at, length };
}

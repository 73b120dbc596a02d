/**
 * What all workers share: plain data whose columns are in shared memory, so that sending it copies nothing, and a file.
 */
import { writeSync } from 'node:fs';

type Column = Uint8Array | Int32Array | Uint32Array | Float64Array;

/** Returns the same data with its columns in shared memory. */
export function inSharedMemory<Data extends object>(data: Data): Data {
  const entries = Object.entries(data).map(([name, value]) => [name, isColumn(value) ? shared(value) : nested(value)]);
  return Object.fromEntries(entries) as Data;
}

function nested(value: unknown): unknown {
  const isPlain = typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
  return isPlain ? inSharedMemory(value) : value;
}

function isColumn(value: unknown): value is Column {
  return ArrayBuffer.isView(value);
}

function shared(column: Column): Column {
  if (column.buffer instanceof SharedArrayBuffer) return column;
  const Type = column.constructor as new (buffer: SharedArrayBuffer) => Column;
  const copy = new Type(new SharedArrayBuffer(column.byteLength));
  copy.set(column);
  return copy;
}

// A file to which all workers append at the same time, each at a place of its own: large results stay out of memory.

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
  return { fd, taken: new BigInt64Array(new SharedArrayBuffer(BigInt64Array.BYTES_PER_ELEMENT)) };
}

/** Returns where the bytes are. @throws the system error if they cannot be written */
export function appendShared({ fd, taken }: SharedFile, bytes: Uint8Array): Place {
  const { length } = bytes;
  const at = Number(Atomics.add(taken, 0, BigInt(length)));
  for (let done = 0; done < length; ) done += writeSync(fd, bytes, done, length - done, at + done);
  return { at, length };
}

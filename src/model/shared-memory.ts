/**
 * Memory that workers share. Where there is none, as in a page that is not isolated, what a worker needs is sent to it: all
 * code asks here, so both ways are the same code.
 */

type Column = Uint8Array | Int32Array | Uint32Array | Float64Array;

/** Whether this process gives workers memory to share. It never changes. */
export function sharesMemory(): boolean {
  return typeof SharedArrayBuffer !== 'undefined';
}

/** Allocates memory that workers share; where they cannot, memory of this thread. */
export function sharableBytes(bytes: number): ArrayBuffer | SharedArrayBuffer {
  return sharesMemory() ? new SharedArrayBuffer(bytes) : new ArrayBuffer(bytes);
}

/** Returns the same data with its columns in memory that workers share. */
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
  if (sharesMemory() && column.buffer instanceof SharedArrayBuffer) return column;
  const Type = column.constructor as new (buffer: ArrayBuffer | SharedArrayBuffer) => Column;
  const copy = new Type(sharableBytes(column.byteLength));
  copy.set(column);
  return copy;
}

/**
 * Copies the columns of plain data to shared memory, so that sending the data to workers copies nothing.
 */
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

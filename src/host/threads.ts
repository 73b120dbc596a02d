/**
 * The threads of the host: in Node worker threads.
 */
import { deserialize, serialize } from 'node:v8';
import { sharesMemory } from '../model/shared-memory.js';

/** Tells the workers of a process apart. */
export { threadId as workerId } from 'node:worker_threads';

/** Plain data as bytes that workers share; where they cannot, the data itself. */
export type Packed<Data> = Data | Uint8Array;

export function packed<Data>(data: Data): Packed<Data> {
  if (!sharesMemory()) return data;
  const bytes = serialize(data);
  const copy = new Uint8Array(new SharedArrayBuffer(bytes.length));
  copy.set(bytes);
  return copy;
}

export function unpacked<Data>(data: Packed<Data>): Data {
  return data instanceof Uint8Array ? deserialize(data.slice()) : data;
}

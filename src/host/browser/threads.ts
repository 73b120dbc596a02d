/**
 * The threads of the host, in a browser: workers of the engine. Takes the place of `src/host/threads.ts`.
 */
import type { Packed } from '../threads.js';

declare const self: { readonly name: string };

/** What the names of workers begin with; a number follows. */
export const WORKER = 'worker ';

/** Tells the workers of an engine apart; 0: the engine itself. */
export const workerId = Number(self.name.startsWith(WORKER) ? self.name.slice(WORKER.length) : 0);

/** Workers of a page share no memory. */
export function packed<Data>(data: Data): Packed<Data> {
  return data;
}

export function unpacked<Data>(data: Packed<Data>): Data {
  return data as Data;
}

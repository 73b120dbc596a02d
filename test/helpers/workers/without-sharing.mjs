/**
 * Preloaded into a process and its workers: they share no memory, like a page that is not isolated.
 */
import 'node:worker_threads'; // Node's own code needs some

delete globalThis.SharedArrayBuffer;

/**
 * Preloaded into a process and its workers: they share no memory, like a page that is not isolated.
 */
delete globalThis.SharedArrayBuffer;

/**
 * The smallest budget of memory that may be asked for. A file of its own: the command line needs it at its start, threads do not.
 */

/** With less memory than this the program itself would not fit. */
export const MIN_MEMORY_BYTES = 160 * 1024 * 1024;

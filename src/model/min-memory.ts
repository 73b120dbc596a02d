/**
 * The smallest memory budget. A file of its own, because the command line needs it at start, and little else.
 */

/** The program itself does not fit into less. */
export const MIN_MEMORY_BYTES = 160 * 1024 * 1024;

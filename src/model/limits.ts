/**
 * Bounds that are told to people and kept by the program.
 */

/** With less memory than this the program itself would not fit. */
export const LEAST_MEMORY_BYTES = 160 * 1024 * 1024;

/**
 * Where the numbers of the kernel's records stand, in bytes, and what some of them mean. It is compiled twice: into the kernel,
 * and into the parser, which reads these records in the kernel's memory.
 */

/** Why reading stopped. */
export const STOP_DONE = 0;
export const STOP_UNKNOWN_HEAD = 1;
export const STOP_UNKNOWN_REST = 2;

/** A line: where it begins, its branch, the row of its head, the nanoseconds behind the dot. */
export const LINE_START = 0;
export const LINE_BRANCH = 4;
export const LINE_HEAD = 8;
export const LINE_NS = 12;
export const LINE_BYTES = 16;
/** In place of a branch: the line says something else. */
export const OTHER = -1;

/**
 * An end of branches: the address, where its function begins (NaN: not known), the function's symbol, the file it is in
 * (NO_FILE: none was printed), and in origins what the flags mean. Below zero a symbol stands for a text instead, which is kept
 * elsewhere (`~symbol`).
 */
export const END_ADDRESS = 0;
export const END_START = 8;
export const END_SYMBOL = 16;
export const END_FILE = 24;
export const END_FLAGS = 32;
export const END_BYTES = 40;
export const NO_FILE = -1;

/** A branch: the numbers of its origin and its target. */
export const PAIR_ORIGIN = 0;
export const PAIR_TARGET = 4;
export const PAIR_BYTES = 8;

/** A text in a table: its offset from the table's first byte, and its length. */
export const TEXT_OFFSET = 0;
export const TEXT_LENGTH = 4;
export const TEXT_BYTES = 8;

/**
 * A run: its lane, the bytes of its events, the time of the last one, how many they are, and the row of the last one; runs stand in
 * the order in which their lanes appear.
 */
export const RUN_LANE = 0;
export const RUN_EVENT_BYTES = 4;
export const RUN_NS = 8;
export const RUN_EVENTS = 16;
export const RUN_LAST_ROW = 20;
export const RUN_BYTES = 24;

/**
 * The layout of the module's records: offsets and sizes in bytes, and special values. Compiled twice: into the module,
 * and into the parser, which reads these records in the module's memory.
 */

/** What the modules of all readers share, by number. */
export const SHARED_BRANCHES = 0;
export const SHARED_TAILS = 1;
export const SHARED_FLAG_WORDS = 2;
export const SHARED_NAMES = 3;
export const SHARED_SYMBOLS = 4;
export const SHARED_FILE_NAMES = 5;
export const SHARED_FILES = 6;
export const SHARED_TEXTS = 7;

/** State of the lock: held, and others may be waiting. */
export const LOCK_AWAITED = 2;

/** Bytes after the text of a piece: its end is read in steps of several bytes. */
export const TEXT_PADDING = 64;

/** Why reading stopped. */
export const STOP_DONE = 0;
export const STOP_UNKNOWN_HEAD = 1;
export const STOP_UNKNOWN_REST = 2;

/** A line: its offset, its branch, the row of its head, the nanoseconds after the dot. */
export const LINE_START = 0;
export const LINE_BRANCH = 4;
export const LINE_HEAD = 8;
export const LINE_NS = 12;
export const LINE_BYTES = 16;
/** Instead of a branch: any other line. */
export const OTHER = -1;

/** A branch: its origin, its target, its encoded flags. */
export const BRANCH_FROM = 0;
export const BRANCH_TO = 32;
export const BRANCH_FLAGS = 64;
export const BRANCH_BYTES = 72;

/**
 * An end of a branch: the address, the start of its function (NaN if unknown), the function's symbol, its file (NO_FILE
 * if none was printed). A negative symbol is a text that is kept elsewhere (`~symbol`).
 */
export const END_ADDRESS = 0;
export const END_START = 8;
export const END_SYMBOL = 16;
export const END_FILE = 24;
export const NO_FILE = -1;

/** A text: its address and its length. */
export const TEXT_ADDRESS = 0;
export const TEXT_LENGTH = 4;
export const TEXT_BYTES = 8;

/**
 * A run, the events of a lane: its thread and CPU, the numbers that its events take, their count, and the time and the row
 * of the last one. Runs are in the order in which their lanes first appear.
 */
export const RUN_TID = 0;
export const RUN_CPU = 8;
export const RUN_LENGTH = 16;
export const RUN_EVENTS = 24;
export const RUN_LAST_NS = 32;
export const RUN_LAST_ROW = 40;
export const RUN_BYTES = 48;

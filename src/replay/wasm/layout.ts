/**
 * The layout of the module's memory: offsets and sizes in bytes, and special values. Compiled twice: into the module,
 * and into replay, which reads and writes the same memory.
 */

export const NONE = -1;

/** Why the module stopped before a row: it has done all, the row needs the general rules, or a table is full. */
export const STOP_DONE = 0;
export const STOP_GENERAL = 1;
export const STOP_FULL = 2;

/** The head, at address 0: where everything is, and what replay hands over when it calls the module. */
export const HEAD_STOP = 0;
export const HEAD_SITES = 4;
export const HEAD_FUNCTIONS = 8;
export const HEAD_HIGHEST = 12;
/** By row of the thread, of the page that the rows of the window are in. */
export const HEAD_ACTIONS = 16;
export const HEAD_LINKS = 20;
/** All pages of actions and links, the slot of each page, which slots changed, and the binary logarithm of a page's rows. */
export const HEAD_PAIRED = 148;
export const HEAD_SLOT_OF = 152;
export const HEAD_IS_CHANGED = 156;
export const HEAD_PAGE_BITS = 160;
/** By row of the window: sites, times. The first row of the window. Lists of durations and of inferred calls. */
export const HEAD_WINDOW_SITES = 24;
export const HEAD_WINDOW_TIMES = 28;
export const HEAD_WINDOW_ROW = 32;
export const HEAD_DURATIONS = 36;
export const HEAD_INFERRED = 112;
/**
 * Columns of rows for the call log, as it has them, with the row of the event that makes a call; a list of rows of it that
 * get another node; the rows that it has, and the time of the last one.
 */
export const HEAD_LOG_CODE = 128;
export const HEAD_LOG_SINCE = 164;
export const HEAD_LOG_FAR = 168;
export const HEAD_LOG_EVENT = 172;
export const HEAD_RENAMES = 132;
export const HEAD_LOG_LENGTH = 136;
export const HEAD_LOG_LAST_NS = 184;
/** Frames, or during pairing open calls; and how many there can be. */
export const HEAD_STACK = 40;
export const HEAD_STACK_LIMIT = 44;
export const HEAD_TREE = 48;
/** Number of nodes from which on the tree has to grow. */
export const HEAD_TREE_LIMIT = 52;
export const HEAD_SLOTS = 56;
export const HEAD_SLOT_MASK = 60;
/** Numbers that change: nodes, open frames or calls, frames in the index, entries of lists. */
export const HEAD_TREE_LENGTH = 64;
export const HEAD_DEPTH = 68;
export const HEAD_INDEX_LENGTH = 72;
export const HEAD_DURATION_COUNT = 76;
export const HEAD_INFERRED_COUNT = 116;
export const HEAD_LOG_COUNT = 120;
export const HEAD_LOG_FAR_COUNT = 176;
export const HEAD_RENAMES_COUNT = 124;
/** Of pairing: the index from which on calls can be ended simply. */
export const HEAD_LOWEST = 80;
/** Why charged time is inferred (`Doubt` in model/calls/doubts.ts), and RULE_… or-ed. */
export const HEAD_DOUBT = 84;
export const HEAD_RULES = 88;
/** Time is charged up to here; time inferred because of hidden jumps. */
export const HEAD_NOW_NS = 96;
export const HEAD_HIDDEN_NS = 104;
/** The list of inferred time, other than around hidden jumps. */
export const HEAD_DOUBTFUL = 140;
export const HEAD_DOUBTFUL_COUNT = 144;
export const HEAD_BYTES = 192;

/** Durations are wanted; tail calls replace their caller; a call log is written; hidden jumps, stops are not simple. */
export const RULE_DURATIONS = 1;
export const RULE_REPLACE = 2;
export const RULE_LOG = 4;
export const RULE_NO_JUMPS = 8;
export const RULE_NO_STOPS = 16;

/** A site: its addresses; where it comes from if that is simple, where it goes to, and its symbol; `Step`s. */
export const SITE_FROM = 0;
export const SITE_TO = 8;
export const SITE_FROM_FUNCTION = 16;
export const SITE_TO_FUNCTION = 20;
export const SITE_TO_SYMBOL = 24;
export const SITE_PAIR = 28;
export const SITE_STEP = 29;
export const SITE_BITS = 5;
export const SITE_BYTES = 32;

export const FUNCTION_SYMBOL = 0;
export const FUNCTION_TRAITS = 4;
export const FUNCTION_STUB_TARGET = 8;
export const FUNCTION_BARE_NAME = 12;
export const FUNCTION_BITS = 4;
export const FUNCTION_BYTES = 16;

/** A frame; see stack/frame.ts. */
export const FRAME_ENTRY_NS = 0;
export const FRAME_KNOWN_FROM_NS = 8;
export const FRAME_KNOWN_UNTIL_NS = 16;
export const FRAME_RETURNS_TO = 24;
export const FRAME_HELD_NS = 32;
export const FRAME_FUNCTION = 40;
export const FRAME_NODE = 44;
export const FRAME_CALL_ROW = 48;
export const FRAME_LEVEL = 52;
export const FRAME_INFERENCE = 56;
export const FRAME_FLAGS = 60;
export const FRAME_ORDER = 64;
export const FRAME_RETURN_ROW = 68;
export const FRAME_NEXT_LOWER = 72;
export const FRAME_LOG_ROW = 76;
export const FRAME_BYTES = 80;

export const FLAG_LEVEL = 4;
export const FLAG_CALLED = 8;
export const FLAG_ALIASES = 16;
/** Opened by the kernel, by a call that is no entry into the operating system's kernel. */
export const FLAG_PLAIN_CALL = 32;
/** From this bit on: why time above the frame is inferred, a bit for each `Doubt` (model/calls/doubts.ts). */
export const FLAG_DOUBT_BITS = 8;
export const FLAG_DOUBTS = 0x1fe00;

/** What pairing finds for an event: a link and an action, and of a page all links first. */
export const PAIRED_BYTES = 5;

/** An open call of pairing. */
export const CALL_ADDRESS = 0;
export const CALL_ROW = 8;
export const CALL_KIND = 12;
export const CALL_BYTES = 16;

/** A node of the call tree; see model/calls/call-tree.ts. */
export const NODE_PARENT = 0;
export const NODE_SYMBOL = 4;
export const NODE_LAST_CHILD = 8;
export const NODE_NEXT_CALLED = 12;
export const NODE_CALLS = 16;
export const NODE_SELF_NS = 24;
export const NODE_COMPLETE_NS = 32;
export const NODE_MIN_NS = 40;
export const NODE_MAX_NS = 48;
export const NODE_INFERRED_NS = 56;
export const NODE_BITS = 6;

/** A complete call: its symbol, and the bucket of its duration in a histogram. */
export const PAIR_BYTES = 8;
/**
 * An entry of another list: what is known of an inferred call and its node; inferred time and its node; a row of the log and
 * its new node.
 */
export const LISTED_NS = 0;
export const LISTED_ID = 8;
export const LISTED_BYTES = 16;
export const LIST_ENTRIES = 8192;

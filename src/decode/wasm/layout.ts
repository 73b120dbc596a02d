/**
 * Numbers that the module and its host share. Compiled twice: into the module, and into the host.
 */

/** Kinds of instructions. */
export const KIND_NONE = 0;
export const KIND_CALL = 1;
export const KIND_JUMP = 2;
export const KIND_JCC = 3;
export const KIND_RETURN = 4;
export const KIND_CALL_INDIRECT = 5;
export const KIND_JUMP_INDIRECT = 6;
export const KIND_FAR_CALL = 7;
export const KIND_FAR_JUMP = 8;
export const KIND_SYSCALL = 9;
export const KIND_SYSRET = 10;
export const KIND_IRET = 11;
export const KIND_INTERRUPT = 12;
export const KIND_VMENTRY = 13;
/** No instruction: asynchronous (interrupt, fault, signal), and none. */
export const KIND_ASYNC = 14;
export const KIND_NO_CODE = 15;
/** Always ends in a TIP. */
export const KIND_FAR_RETURN = 16;

/** Where a branch stands at the edge of the trace. */
export const EDGE_NONE = 0;
export const EDGE_BEGIN = 1;
export const EDGE_END = 2;
export const EDGE_BEGIN_AND_END = 3;

/** perf's numbers of errors. */
export const ERROR_BAD_PACKET = 3;
export const ERROR_NO_CODE = 5;
export const ERROR_MISMATCH = 6;
export const ERROR_OVERFLOW = 7;
export const ERROR_NEVER_ENDING = 10;

/** Which jumps are events. */
export const JUMPS_NONE = 0;
export const JUMPS_LEAVING = 1;
export const JUMPS_ALL = 2;

/** A site: its two addresses, the image that `to` is in, the kind of instruction, the edge. */
export const SITE_FROM = 0;
export const SITE_TO = 8;
export const SITE_IMAGE = 16;
export const SITE_KIND = 20;
export const SITE_EDGE = 21;
export const SITE_BYTES = 24;

/** A run: its row in the schedule, the bytes of its events, how many they are, their first and their last time. */
export const RUN_SLOT = 0;
export const RUN_EVENT_BYTES = 4;
export const RUN_EVENTS = 8;
export const RUN_START_NS = 16;
export const RUN_END_NS = 24;
export const RUN_BYTES = 32;

/** The number of the image that all processes share: the kernel's code, in the upper half of the addresses. */
export const KERNEL_IMAGE = 1;

/**
 * A slot of the schedule: from which tick on, and which image runs then. 1 in SLOT_AT_SWITCH: it begins where the kernel switches
 * stacks, at that tick or later, and at the tick of the next slot at the latest.
 */
export const SLOT_TICK = 0;
export const SLOT_IMAGE = 8;
export const SLOT_AT_SWITCH = 12;
export const SLOT_BYTES = 16;

/** A change of the kernel's code: its tick, its first address, and the one after its last. */
export const CHANGE_TICK = 0;
export const CHANGE_START = 8;
export const CHANGE_END = 16;
export const CHANGE_BYTES = 24;

/** An error: the time, the address, the code, the slot of the schedule. */
export const FAULT_NS = 0;
export const FAULT_IP = 8;
export const FAULT_CODE = 16;
export const FAULT_SLOT = 20;
export const FAULT_BYTES = 24;

/** A trace record (AUXTRACE): the offset of its end in the stream, and its reference tick. */
export const RECORD_END = 0;
export const RECORD_REFERENCE = 8;
export const RECORD_BYTES = 16;

/** A state that is handed over: what a decoder that began within a stream may not know, and whether it does; then the rest. */
export const STATE_CYCLE_START = 0;
export const STATE_CYCLES = 8;
export const STATE_EVENT_TIME = 16;
export const STATE_UNSURE_CYCLES = 24;
export const STATE_UNSURE_EVENT_TIME = 25;
export const STATE_OWN = 32;

/** A mark: its offset in the stream, what was found before it, the state. */
export const MARK_OFFSET = 0;
export const MARK_EVENT_BYTES = 8;
export const MARK_RUNS = 12;
export const MARK_FAULTS = 16;
export const MARK_STATE = 24;

/**
 * Counts: the time, instructions and cycles since decoding began, the site of the event (or NO_SITE), the slot, the core's
 * ratio, and how many bytes of events there are before the row, its own event included.
 */
export const COUNT_NS = 0;
export const COUNT_INSTRUCTIONS = 8;
export const COUNT_CYCLES = 16;
export const COUNT_SITE = 24;
export const COUNT_SLOT = 28;
export const COUNT_CBR = 32;
export const COUNT_EVENT_BYTES = 36;
export const COUNT_BYTES = 40;
export const NO_SITE = 0xffffffff;

/** What the host takes. */
export const COLUMN_EVENTS = 0;
export const COLUMN_RUNS = 1;
export const COLUMN_SITES = 2;
export const COLUMN_FAULTS = 3;
export const COLUMN_MARKS = 4;
export const COLUMN_COUNTS = 5;
/** The events as bundles, after `bundleRuns`. */
export const COLUMN_BUNDLES = 6;

/** No more bytes than these decide what a packet means. */
export const MAX_LOOK_AHEAD = 1048576;

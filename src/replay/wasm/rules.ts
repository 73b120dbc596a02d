/**
 * Numbers that the module shares with the rules of replay; a test compares them.
 */

/** As `Step` in functions/site-facts.ts. */
export const STEP_STAY = 0;
export const STEP_CALL = 1;
export const STEP_RETURN = 3;
export const STEP_JUMP = 4;
export const STEP_START = 6;
export const STEP_END = 7;
export const STEP_END_SYSCALL = 8;

/** As `Action` in pairing/pairing.ts. */
export const ACTION_CALL = 1;
export const ACTION_RETURN = 2;
export const ACTION_RESUME = 12;
export const ACTION_JUMP = 15;
/** `Stay`, after which the trace stops: somehow, or in a system call. */
export const ACTION_STOP = 32;
export const ACTION_SYSCALL = 64;

/** As `CallKind` in pairing/stacks.ts. */
export const KIND_CALL = 0;

/** As in functions/traits.ts. */
export const MAX_CALL_BYTES = 15;
export const SYSCALL_BYTES = 2;
export const TRAIT_STUB = 1;
export const TRAIT_RESOLVER = 2;
export const TRAIT_UNWINDER = 4;
export const TRAIT_UNKNOWN = 8;
export const TRAIT_PROGRAM_START = 64;
export const TRAIT_RETPOLINE = 128;
export const TRAIT_RETURN_THUNK = 256;
export const TRAIT_COLD_PART = 2048;
export const TRAIT_MAY_SWITCH = 262144;
export const TRAIT_KERNEL = 524288;

/** As `Doubt` in model/calls/doubts.ts. */
export const NO_DOUBT = 0;
export const DOUBT_HIDDEN_JUMP = 1;

/** As `Inference` in model/profile/profile.ts. */
export const HIDDEN_JUMP = 4;

/** As in stack/levels.ts. */
export const MAX_TAIL_CHAIN = 64;

/** As in stack/hidden-jumps.ts. */
export const MAX_UNWINDER_DEPTH = 8;

/** As in model/calls/call-log.ts. */
export const LOG_OPEN = 2;
export const LOG_CLOSE = 3;
export const LOG_STOP = 4;
export const LOG_END_STOP = 5;
export const LOG_DOUBT = 11;
export const LOG_KNOWN_TIME = 12;
export const LOG_OP_BITS = 4;
export const LOG_FAR = 0xffff;

/** As in model/calls/durations.ts. */
export const EXACT_BUCKETS = 64;
export const BUCKETS = 1568;

/** As `SpecialSymbol` in model/symbol-table.ts. */
export const SYMBOL_SYSCALL = 1;
export const SYMBOL_UNTRACED = 2;

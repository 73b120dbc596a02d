/**
 * Numbers that the kernel shares with the rules of replay: a test compares them.
 */

/** As `Step` in functions/site-facts.ts. */
export const STEP_STAY: u8 = 0;
export const STEP_CALL: u8 = 1;
export const STEP_RETURN: u8 = 3;

/** As `Action` in pairing/actions.ts. */
export const ACTION_CALL: u8 = 1;
export const ACTION_RETURN: u8 = 2;

/** As in functions/traits.ts. */
export const MAX_CALL_BYTES: f64 = 15;
export const TRAIT_STUB: i32 = 1;
export const TRAIT_RESOLVER: i32 = 2;
export const TRAIT_UNKNOWN: i32 = 8;
export const TRAIT_PROGRAM_START: i32 = 64;
export const TRAIT_RETURN_THUNK: i32 = 256;
export const TRAIT_COLD_PART: i32 = 2048;

/** As `Certainty` in model/calls/call-log.ts. */
export const CERTAIN: u32 = 0;
export const AFTER_HIDDEN_JUMP: u32 = 1;

/** As `Inference` in model/profile/quality.ts. */
export const HIDDEN_JUMP: i32 = 4;

/** As in stack/jump.ts. */
export const MAX_TAIL_CHAIN: u32 = 64;

/**
 * The commonest hidden jump: a stub is on top (`foo@plt`), and the event comes from the function that it leads to. Has
 * the same effect as `syncTo` in stack/hidden-jumps.ts where that would only rename the frame on top.
 */
import { forgetInIndex } from './frames';
import {
  FLAG_ALIASES,
  FLAG_CALLED,
  FLAG_PLAIN_CALL,
  FRAME_FLAGS,
  FRAME_FUNCTION,
  FRAME_HELD_NS,
  FRAME_KNOWN_FROM_NS,
  FRAME_LEVEL,
  FRAME_NODE,
  FUNCTION_BARE_NAME,
  FUNCTION_BITS,
  FUNCTION_STUB_TARGET,
  FUNCTION_SYMBOL,
  FUNCTION_TRAITS,
  NONE,
  RULE_NO_STUBS,
  RULE_REPLACE,
} from './layout';
import {
  TRAIT_COLD_PART,
  TRAIT_PROGRAM_START,
  TRAIT_RESOLVER,
  TRAIT_RETURN_THUNK,
  TRAIT_STUB,
  TRAIT_UNKNOWN,
} from './rules';
import { childOf } from './tree';

/** Functions that control does not simply reach through a stub. */
const NOT_SIMPLE: i32 = TRAIT_COLD_PART | TRAIT_PROGRAM_START | TRAIT_RETURN_THUNK | TRAIT_STUB;

/** True if the frame on top, at `index`, is a stub that only has to be renamed to `fn`. */
export function leadsTo(top: usize, index: u32, fn: i32, functions: usize, rules: u32): bool {
  const stub = functions + ((<usize>load<i32>(top, FRAME_FUNCTION)) << FUNCTION_BITS);
  const to = functions + ((<usize>fn) << FUNCTION_BITS);
  const stubTraits = load<i32>(stub, FUNCTION_TRAITS);
  const traits = load<i32>(to, FUNCTION_TRAITS);
  if ((stubTraits & TRAIT_STUB) === 0 || (traits & NOT_SIMPLE) !== 0 || (rules & RULE_NO_STUBS) !== 0) return false;
  const flags = load<u32>(top, FRAME_FLAGS);
  if ((flags & (FLAG_PLAIN_CALL | FLAG_ALIASES)) !== FLAG_PLAIN_CALL || load<u32>(top, FRAME_LEVEL) !== index)
    return false;
  if ((rules & RULE_REPLACE) !== 0) return (stubTraits & traits & TRAIT_UNKNOWN) === 0;
  const target = load<i32>(stub, FUNCTION_STUB_TARGET);
  if (target === NONE || (traits & TRAIT_RESOLVER) !== 0) return true;
  const named = functions + ((<usize>target) << FUNCTION_BITS);
  return load<i32>(named, FUNCTION_BARE_NAME) === load<i32>(to, FUNCTION_BARE_NAME);
}

/** Renames the frame on top to the function that its stub leads to; returns the time that was held back. */
export function renameTop(top: usize, index: u32, parent: u32, fn: i32, functions: usize, timeNs: f64): f64 {
  forgetInIndex(top, index);
  store<i32>(top, fn, FRAME_FUNCTION);
  store<u32>(top, load<u32>(top, FRAME_FLAGS) & ~FLAG_CALLED, FRAME_FLAGS);
  const symbol = load<i32>(functions + ((<usize>fn) << FUNCTION_BITS), FUNCTION_SYMBOL);
  store<u32>(top, childOf(parent, symbol), FRAME_NODE);
  store<f64>(top, min(load<f64>(top, FRAME_KNOWN_FROM_NS), timeNs), FRAME_KNOWN_FROM_NS);
  const heldNs = load<f64>(top, FRAME_HELD_NS);
  store<f64>(top, 0, FRAME_HELD_NS);
  return heldNs;
}

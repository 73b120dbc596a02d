/**
 * What a function's name says about how it hands on control; addresses decide wherever they can.
 */
import { SpecialSymbol } from '../model/symbol-table.js';
import type { SymbolId } from '../model/units.js';

export const Trait = {
  None: 0,
  /** A few instructions that only lead elsewhere: `foo@plt`, a retpoline thunk. */
  Stub: 1,
  /** Finds out where a stub leads, then jumps there. */
  Resolver: 2,
  /** Leaves several frames at once. */
  Unwinder: 4,
  Unknown: 8,
  /** A new thread or process begins its life in it, behind the system call that made it. */
  Birthplace: 16,
  /** Goes to another stack of the same thread: what runs next was not called from here. */
  Switcher: 32,
  /** Here a program begins, after an exec. */
  ProgramStart: 64,
} as const;

/** A call instruction of x86 is at most this long, so a return address is at most this far behind the call. */
export const LONGEST_CALL_BYTES = 15;

const STUB = /@plt$|^_init$|^\.plt|^__x86_(?:indirect|return)_thunk/;
const RESOLVER = /^_dl_runtime_resolve/;
const UNWINDER = /longjmp|_Unwind_|__cxa_/;
// glibc's contexts, boost's and bthread's fcontexts, and Go's "gogo", which mcall and the scheduler end in.
const SWITCHER = /(?:set|swap|jump_f|ontop_f)context|^(?:runtime\.)?gogo(?:\.abi0)?$/;
const PROGRAM_START = /^_start$/;
const BIRTHPLACE = /^_*(?:clone3?|v?fork|Fork|arch_fork|clone_internal)$/;

export function traitsOf(symbol: SymbolId, name: string): number {
  if (symbol === SpecialSymbol.Unknown) return Trait.Unknown | Trait.Unwinder;
  if (STUB.test(name)) return Trait.Stub;
  if (RESOLVER.test(name)) return Trait.Resolver;
  if (BIRTHPLACE.test(name)) return Trait.Birthplace;
  if (PROGRAM_START.test(name)) return Trait.ProgramStart;
  if (SWITCHER.test(name)) return Trait.Switcher | Trait.Unwinder;
  return UNWINDER.test(name) ? Trait.Unwinder : Trait.None;
}

/**
 * What a function's name reveals about how it passes control on. Addresses decide wherever they can.
 */
import { SymbolKind } from '../../model/symbol-table.js';

export const Trait = {
  None: 0,
  /** A few instructions that only lead elsewhere: `foo@plt`, a retpoline. */
  Stub: 1,
  /** Finds out where a stub leads, then jumps there. */
  Resolver: 2,
  /** Leaves several frames at once. */
  Unwinder: 4,
  Unknown: 8,
  /** A new thread or process begins in it, after the system call that created it. */
  CloneOrFork: 16,
  /** Switches to another stack of the same thread: what runs next was not called from here. */
  StackSwitcher: 32,
  /** A program begins in it, after an exec. */
  ProgramStart: 64,
  /** A stub whose "return" is an indirect jump: a retpoline. */
  Retpoline: 128,
  /** Functions end in it, instead of in a return instruction of their own. */
  ReturnThunk: 256,
  /** Continues with an exception after a frame has cleaned up, and never lands in that frame. */
  Resumer: 512,
  /** Passes an exception on, frame by frame: of frames that wait at the same call, the next one gets it. */
  Raiser: 1024,
  /** A cold part that the compiler moved out of one of the functions of its name. */
  ColdPart: 2048,
  /** Go: runs what was deferred, and ends there if that recovers. */
  Panic: 4096,
} as const;

/** An x86 call instruction is at most this long, so a return address is at most this far after the call. */
export const MAX_CALL_BYTES = 15;

// perf extends symbols without a size, _init and _fini, over the linkage table after them.
const STUB = /@plt$|^_(?:init|fini)$|^\.plt/;
// GCC's and the kernel's `-mindirect-branch=thunk`, LLVM's `-mretpoline` and `-mlvi-hardening`.
const RETPOLINE = /^__x86_indirect_(?:\w+_)?thunk|^__llvm_(?:external_)?retpoline_|^__llvm_lvi_thunk_/;
// GCC's `-mfunction-return=thunk`; the kernel's own mitigations: retbleed, SRSO, ITS, call depth tracking.
const RETURN_THUNK = /^__x86_return_(?:thunk|skl)|^(?:\w+_)?return_thunk$|^srso_(?:alias_)?safe_ret$/;
const RESOLVER = /^_dl_runtime_resolve/;
const RAISER = /_Unwind_(?:RaiseException|Resume|ForcedUnwind)|__cxa_(?:re)?throw|unw_resume/;
const LONG_JUMP = /longjmp|__pthread_unwind/;
const RESUMER = /^_Unwind_Resume(?:@|$)/;
// glibc's contexts, boost's and bthread's fcontexts, and Go's "gogo", which mcall and the scheduler end in.
const SWITCHER = /(?:set|swap|jump_f|ontop_f)context|^(?:runtime\.)?gogo(?:\.abi0)?$/;
const PANIC = /^runtime\.(?:gopanic|recovery)$/;
const PROGRAM_START = /^_start$/;
const CLONE_OR_FORK = /^_*(?:clone3?|v?fork|Fork|arch_fork|clone_internal)$/;

/** Returns the traits of a function, by its name alone. */
export function traitsOf(kind: SymbolKind, name: string): number {
  if (kind === SymbolKind.Unknown) return Trait.Unknown;
  if (STUB.test(name)) return Trait.Stub | (SWITCHER.test(name) ? Trait.StackSwitcher : unwinderTraits(name));
  if (RETPOLINE.test(name)) return Trait.Stub | Trait.Retpoline;
  if (RETURN_THUNK.test(name)) return Trait.ReturnThunk;
  if (RESOLVER.test(name)) return Trait.Resolver;
  if (CLONE_OR_FORK.test(name)) return Trait.CloneOrFork;
  if (PROGRAM_START.test(name)) return Trait.ProgramStart;
  if (SWITCHER.test(name)) return Trait.StackSwitcher | Trait.Unwinder;
  if (PANIC.test(name)) return Trait.Panic;
  return unwinderTraits(name);
}

function unwinderTraits(name: string): number {
  if (RESUMER.test(name)) return Trait.Unwinder | Trait.Raiser | Trait.Resumer;
  if (RAISER.test(name)) return Trait.Unwinder | Trait.Raiser;
  return LONG_JUMP.test(name) ? Trait.Unwinder : Trait.None;
}

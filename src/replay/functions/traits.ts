/**
 * What a function's name reveals about how it passes control on. Addresses decide wherever they can.
 */
import { SymbolKind, type SymbolTable } from '../../model/symbol-table.js';
import { BranchKind, type BranchSites, TraceEdge } from '../../model/trace/branch-sites.js';
import { type Address, NONE, type SiteId, type SymbolId } from '../../model/units.js';

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
  /** Go: calls a function on the scheduler's stack of the thread. */
  SystemCaller: 8192,
  /** Go: the scheduler's stack is used again and again from above its frame. */
  SystemBase: 16384,
  /** Go: goes from the scheduler's stack to a goroutine. */
  SystemLeaver: 32768,
  /** Goes to a place that a `setjmp` noted, without passing anything on. */
  LongJump: 65536,
  /** Notes a place for a longjmp. */
  SetJump: 131072,
  /** It calls nothing, and nothing goes back behind a call to it: it may switch stacks, or end in functions that never return. */
  MaySwitch: 262144,
  /** Code of the kernel. */
  Kernel: 524288,
  /** The kernel's code in which a thread gives its CPU to another one, and goes on later. */
  TaskSwitch: 1048576,
  /** The kernel's code in which a new thread begins. */
  TaskStart: 2097152,
  /** The kernel's code in which a CPU that has nothing to do halts, or waits in a loop. */
  Halt: 4194304,
  /** The kernel's code between a function that sleeps and the switch to another thread. */
  Scheduler: 8388608,
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
const SET_JUMP = /setjmp/;
const RESUMER = /^_Unwind_Resume(?:@|$)/;
// glibc's contexts, boost's and bthread's fcontexts. Go's "gogo" is what its scheduler ends in.
const SWITCHER = /(?:set|swap|jump_f|ontop_f)context/;
const PANIC = /^runtime\.(?:gopanic|recovery)$/;
const SYSTEM_CALLER = /^runtime\.(?:mcall|systemstack|morestack)(?:\.abi0)?$|^gosave_systemstack_switch$/;
const SYSTEM_BASE = /^runtime\.mstart0?(?:\.abi0)?$/;
const GOGO = /^(?:runtime\.)?gogo(?:\.abi0)?$/;
const PROGRAM_START = /^_start$/;
const TASK_SWITCH = /^__switch_to$/;
const SCHEDULER =
  /^(?:__schedule|schedule|schedule_timeout|preempt_schedule|__switch_to_asm|finish_task_switch)(?:\.\w+)*$/;
const TASK_START = /^ret_from_fork(?:_asm)?$/;
// `default_idle` is at the start of its section, where perf may name it by that.
const HALT =
  /^(?:(?:pv_|native_|acpi_|xen_|tdx_)*safe_halt|default_idle|__cpuidle_text_start|mwait_idle\w*|intel_idle\w*|acpi_idle_do_entry|acpi_processor_ffh_cstate_enter|amd_e400_idle|poll_idle|cpu_idle_poll)(?:\.\w+)*$/;
const CLONE_OR_FORK = /^_*(?:clone3?|v?fork|Fork|arch_fork|clone_internal)$/;

/** Returns the traits of a function, by its name alone. */
export function traitsOf(kind: SymbolKind, name: string): number {
  if (kind === SymbolKind.Unknown) return Trait.Unknown;
  if (SET_JUMP.test(name)) return Trait.SetJump | (STUB.test(name) ? Trait.Stub : Trait.None);
  if (STUB.test(name)) return Trait.Stub | (SWITCHER.test(name) ? Trait.StackSwitcher : unwinderTraits(name));
  if (RETPOLINE.test(name)) return Trait.Stub | Trait.Retpoline;
  if (RETURN_THUNK.test(name)) return Trait.ReturnThunk;
  if (RESOLVER.test(name)) return Trait.Resolver;
  if (CLONE_OR_FORK.test(name)) return Trait.CloneOrFork;
  if (TASK_SWITCH.test(name)) return Trait.TaskSwitch | Trait.Scheduler;
  if (SCHEDULER.test(name)) return Trait.Scheduler;
  if (TASK_START.test(name)) return Trait.TaskStart;
  if (HALT.test(name)) return Trait.Halt;
  if (PROGRAM_START.test(name)) return Trait.ProgramStart;
  if (GOGO.test(name)) return Trait.StackSwitcher | Trait.Unwinder | Trait.SystemLeaver;
  if (SWITCHER.test(name)) return Trait.StackSwitcher | Trait.Unwinder;
  if (SYSTEM_CALLER.test(name)) return Trait.SystemCaller;
  if (SYSTEM_BASE.test(name)) return Trait.SystemBase;
  if (PANIC.test(name)) return Trait.Panic;
  return unwinderTraits(name);
}

function unwinderTraits(name: string): number {
  if (RESUMER.test(name)) return Trait.Unwinder | Trait.Raiser | Trait.Resumer;
  if (RAISER.test(name)) return Trait.Unwinder | Trait.Raiser;
  return LONG_JUMP.test(name) ? Trait.Unwinder | Trait.LongJump : Trait.None;
}

const COLD = /(?: ?\[clone )?\.cold(?:\.\d+)?\]?$/;

// Finds the functions that cold parts belong to. Compilers move code that rarely runs out of its function. For C the
// part is a symbol of its own, `foo.cold`; for a C++ name perf prints no suffix, so that two functions seem to have one
// name.

/** What identifies a function. */
interface NamedStart {
  readonly symbol: SymbolId;
  readonly start: Address;
}

export class ColdParts {
  /** By symbol: the function that `foo.cold` is part of. */
  private readonly bySuffix: ReadonlyMap<SymbolId, NamedStart>;
  /** By symbol, then by start of a part: starts of the functions that the part may belong to. */
  private readonly byStart: ReadonlyMap<SymbolId, ReadonlyMap<Address, readonly Address[]>>;

  constructor(sites: BranchSites, symbols: SymbolTable) {
    this.bySuffix = partsBySuffix(sites, symbols);
    this.byStart = partsByStart(sites, symbols);
  }

  /** Returns the function that this is a part of; null if it is a function itself. */
  functionOf(symbol: SymbolId, start: Address): NamedStart | null {
    const whole = this.bySuffix.get(symbol);
    if (whole !== undefined) return whole;
    const [wholeStart, other] = this.byStart.get(symbol)?.get(start) ?? [];
    return wholeStart === undefined || other !== undefined ? null : { symbol, start: wholeStart };
  }

  /** True if it may be a part of any of several functions. */
  isAmbiguous(symbol: SymbolId, start: Address): boolean {
    return (this.byStart.get(symbol)?.get(start)?.length ?? 0) > 1;
  }
}

function partsBySuffix(sites: BranchSites, symbols: SymbolTable): Map<SymbolId, NamedStart> {
  const starts = new LowestStarts(symbols.length);
  starts.add(sites.fromSymbol, sites.fromStart);
  starts.add(sites.toSymbol, sites.toStart);
  const wholes = new Map<SymbolId, NamedStart>();
  const colds = starts.symbols().filter((symbol) => COLD.test(symbols.name[symbol] as string));
  if (colds.length === 0) return wholes;
  const key = (name: string, symbol: SymbolId) => `${symbols.dso[symbol]} ${name}`;
  const byName = new Map(starts.symbols().map((symbol) => [key(symbols.name[symbol] as string, symbol), symbol]));
  for (const cold of colds) {
    const whole = byName.get(key((symbols.name[cold] as string).replace(COLD, ''), cold));
    if (whole !== undefined) wholes.set(cold, { symbol: whole, start: starts.lowest[whole] });
  }
  return wholes;
}

/** By symbol: the lowest start that was printed with it; NaN if none was. */
class LowestStarts {
  readonly lowest: Float64Array;
  private readonly isSeen: Uint8Array;

  constructor(symbols: number) {
    this.lowest = new Float64Array(symbols).fill(Number.NaN);
    this.isSeen = new Uint8Array(symbols);
  }

  add(symbols: Int32Array, starts: Float64Array): void {
    for (let site = 0; site < symbols.length; site++) {
      const symbol = symbols[site];
      if (symbol === NONE) continue;
      this.isSeen[symbol] = 1;
      if (!(this.lowest[symbol] <= starts[site])) this.lowest[symbol] = starts[site];
    }
  }

  /** Returns the symbols that occur in some site. */
  symbols(): SymbolId[] {
    return Array.from(this.isSeen.keys()).filter((symbol) => this.isSeen[symbol] === 1);
  }
}

/** What the code at one start of a name was seen to do. */
interface Start {
  /** It was called or jumped to, or it returned: so it is a function. */
  isFunction: boolean;
  /** Starts of the same name from which control jumped there. */
  readonly jumpedFrom: Set<Address>;
}

/**
 * Finds the parts by start. A part is never called, does not return, and shares its name with a function. Of several
 * functions of that name it belongs to the one that was seen to jump there; if none was, the stack decides during
 * replay.
 */
function partsByStart(sites: BranchSites, symbols: SymbolTable): Map<SymbolId, Map<Address, readonly Address[]>> {
  const parts = new Map<SymbolId, Map<Address, readonly Address[]>>();
  for (const [symbol, starts] of startsOfRepeatedNames(sites, symbols)) {
    const functions = [...starts.keys()].filter((start) => starts.get(start)?.isFunction);
    const wholes = new Map<Address, readonly Address[]>();
    for (const [start, { isFunction, jumpedFrom }] of starts) {
      const seen = functions.filter((fn) => jumpedFrom.has(fn));
      if (!isFunction) wholes.set(start, seen.length === 1 ? seen : functions);
    }
    parts.set(symbol, wholes);
  }
  return parts;
}

/** Collects what the code at each start was seen to do, for every name with several starts. */
function startsOfRepeatedNames(sites: BranchSites, symbols: SymbolTable): Map<SymbolId, Map<Address, Start>> {
  const isRepeated = repeatedNames(sites, symbols);
  const bySymbol = new Map<SymbolId, Map<Address, Start>>();
  const startOf = (symbol: SymbolId, start: Address): Start => {
    let starts = bySymbol.get(symbol);
    if (starts === undefined) bySymbol.set(symbol, (starts = new Map()));
    let found = starts.get(start);
    if (found === undefined) starts.set(start, (found = { isFunction: false, jumpedFrom: new Set() }));
    return found;
  };
  const { fromSymbol, fromStart, toSymbol, toStart } = sites;
  for (let site = 0; site < sites.length; site++) {
    if (isRepeated[fromSymbol[site]] && !Number.isNaN(fromStart[site])) {
      const from = startOf(fromSymbol[site], fromStart[site]);
      if (sites.kind[site] === BranchKind.Return) from.isFunction = true;
    }
    if (!isRepeated[toSymbol[site]] || Number.isNaN(toStart[site])) continue;
    const to = startOf(toSymbol[site], toStart[site]);
    if (isEntry(sites, site)) to.isFunction = true;
    else if (fromSymbol[site] === toSymbol[site] && sites.kind[site] === BranchKind.Jump)
      to.jumpedFrom.add(fromStart[site]);
  }
  return bySymbol;
}

/** True if the function is entered: by a call, a trace start, or a jump out of another name. */
function isEntry({ kind, edge, to, toStart, fromSymbol, toSymbol }: BranchSites, site: SiteId): boolean {
  if (to[site] !== toStart[site]) return false;
  return kind[site] !== BranchKind.Jump || edge[site] === TraceEdge.Begin || fromSymbol[site] !== toSymbol[site];
}

/** By symbol: 1 if the name has several starts. ld.so's `_start` and the program's are two functions. */
function repeatedNames(sites: BranchSites, symbols: SymbolTable): Uint8Array {
  const first = new Float64Array(symbols.length).fill(Number.NaN);
  const isRepeated = new Uint8Array(symbols.length);
  const note = (symbol: SymbolId, start: Address) => {
    if (symbol === NONE || Number.isNaN(start) || start === first[symbol]) return;
    if (Number.isNaN(first[symbol])) first[symbol] = start;
    else isRepeated[symbol] = 1;
  };
  for (let site = 0; site < sites.length; site++) {
    note(sites.fromSymbol[site], sites.fromStart[site]);
    note(sites.toSymbol[site], sites.toStart[site]);
  }
  const apart = Trait.ProgramStart | Trait.Unknown; // distinguished elsewhere
  return isRepeated.map((flag, symbol) => {
    const traits = traitsOf(symbols.kind[symbol] as SymbolKind, symbols.name[symbol] as string);
    return flag === 1 && !(traits & apart) ? 1 : 0;
  });
}

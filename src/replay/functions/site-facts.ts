/**
 * What replay needs to know of each branch site: computed once per site, not once per event.
 */

import type { SymbolTable } from '../../model/symbol-table.js';
import { BranchKind, type BranchSites, TraceEdge } from '../../model/trace/branch-sites.js';
import { type Address, type FunctionId, NONE, type SiteId, type SymbolId } from '../../model/units.js';
import { type FunctionIds, numberFunctions } from './function-ids.js';
import { type FunctionTable, functionTable } from './function-table.js';
import { MAX_CALL_BYTES, Trait } from './traits.js';

/** What an event does to the stack. `End…`: it does that, and then the trace stops. */
export const Step = {
  Stay: 0, // within one function: only time passes
  Call: 1,
  KernelEntry: 2, // system call, interrupt or exception, with a traced kernel
  Return: 3,
  Jump: 4,
  KernelExit: 5, // to the interrupted code, or from a traced kernel to the program; if that is not traced, the trace stops
  Start: 6,
  End: 7,
  EndSyscall: 8,
  EndCall: 9,
  EndReturn: 10,
  Gap: 11,
  SwitchOut: 12,
  PreemptOut: 13,
  SwitchIn: 14,
  Exec: 15,
} as const;
export type Step = (typeof Step)[keyof typeof Step];

export interface SiteFacts {
  readonly step: Uint8Array;
  readonly from: Float64Array;
  readonly to: Float64Array;
  readonly fromFunction: Int32Array; // FunctionId | NONE
  readonly toFunction: Int32Array;
  /** 1: the target is the first byte of its function. */
  readonly toEntry: Uint8Array;
  readonly functions: FunctionTable;
  /** Addresses of linkage slots that lead to functions that switch stacks, though no name says so. */
  readonly switcherSlots: ReadonlySet<Address>;
  /** Number of functions and slots that turned out to switch stacks. */
  readonly learned: number;
  /** null: not requested, or there is none. */
  readonly inlined: InlinedCode | null;
  /** 1: aborts a transaction, undoes its effects, and continues at its abort handler. */
  readonly abortsTransaction: Uint8Array;
  /** True if some site aborts a transaction. */
  readonly hasAborts: boolean;
  /** 1: a VM exit, which gives the CPU back to the host. */
  readonly leavesGuest: Uint8Array;
  /** Addresses of system call instructions. */
  readonly syscalls: ReadonlySet<Address>;
  readonly scope: 'user' | 'user+kernel';
  /** The kernel's code that switches threads is known: a thread has no CPU from its jump there until its next event. */
  readonly showsTaskSwitches: boolean;
  /** Jumps were decoded. */
  readonly showsJumps: boolean;
}

/** `syscall` and `sysenter` are two bytes long. */
export const SYSCALL_BYTES = 2;

/** Computes the facts of all sites. `ids`: the functions at both ends of each site. */
export function siteFacts(
  sites: BranchSites,
  symbols: SymbolTable,
  ids: FunctionIds = numberFunctions(sites, symbols),
  inlined: InlinedCode | null = null,
): SiteFacts {
  const functions = functionTable(sites, symbols, ids);
  const step = new Uint8Array(sites.length);
  const toEntry = new Uint8Array(sites.length);
  const abortsTransaction = sites.kind.map((kind) => (kind === BranchKind.TxAbort ? 1 : 0));
  const leavesGuest = sites.kind.map((kind) => (kind === BranchKind.VmExit ? 1 : 0));
  const syscalls = new Set<Address>();
  let scope: SiteFacts['scope'] = 'user';
  let showsJumps = false;
  for (let site = 0; site < sites.length; site++) {
    step[site] = stepOf(sites, functions, site);
    toEntry[site] = sites.to[site] === sites.toStart[site] ? 1 : 0;
    if (sites.kind[site] === BranchKind.Jump) showsJumps = true;
    if (sites.kind[site] === BranchKind.Syscall) syscalls.add(sites.from[site]);
    if (sites.from[site] < 0 || sites.to[site] < 0) scope = 'user+kernel';
  }
  const { from, to } = sites;
  return {
    step,
    from,
    to,
    fromFunction: functions.from,
    toFunction: functions.to,
    toEntry,
    abortsTransaction,
    hasAborts: abortsTransaction.includes(1),
    leavesGuest,
    functions,
    switcherSlots: new Set(),
    learned: 0,
    inlined,
    syscalls,
    scope,
    showsTaskSwitches: functions.traits.some((traits) => (traits & Trait.TaskSwitch) !== 0),
    showsJumps,
  };
}

/** What turned out to switch stacks during replay: a function, or a linkage slot that leads to one (`slot`; else NaN). */
export interface Switcher {
  readonly fn: FunctionId;
  readonly slot: Address;
}

/** Returns the facts with one more function that switches stacks. */
export function withSwitcher(facts: SiteFacts, { fn, slot }: Switcher): SiteFacts {
  const { functions, switcherSlots } = facts;
  const learned = facts.learned + 1;
  if (!Number.isNaN(slot)) return { ...facts, learned, switcherSlots: new Set([...switcherSlots, slot]) };
  const traits = functions.traits.slice();
  traits[fn] |= Trait.StackSwitcher;
  return { ...facts, learned, functions: { ...functions, traits } };
}

/** True if the call of a site leads to a function that switches stacks. */
export function callsSwitcher({ toFunction, to, functions, switcherSlots }: SiteFacts, site: SiteId): boolean {
  const fn = toFunction[site];
  return (fn !== NONE && (functions.traits[fn] & Trait.StackSwitcher) !== 0) || switcherSlots.has(to[site]);
}

/** True if a program begins with this event. */
export function isStartOfProgram({ step, toEntry, toFunction, functions }: SiteFacts, site: SiteId): boolean {
  const isStart = step[site] === Step.Start && toEntry[site] === 1;
  return isStart && (functions.traits[toFunction[site]] & Trait.ProgramStart) !== 0;
}

/** True if the event happens in one of these functions, or leads to one. */
export function touches(
  { fromFunction, toFunction, functions: { traits } }: SiteFacts,
  site: SiteId,
  trait: number,
): boolean {
  const has = (fn: FunctionId) => fn !== NONE && (traits[fn] & trait) !== 0;
  return has(fromFunction[site]) || has(toFunction[site]);
}

/** True if the trace continues after a system call. */
export function comesOutOfSyscall({ step, to, syscalls }: SiteFacts, site: SiteId): boolean {
  return step[site] === Step.Start && syscalls.has(to[site] - SYSCALL_BYTES);
}

function stepOf(sites: BranchSites, functions: FunctionTable, site: SiteId): Step {
  const kind = sites.kind[site] as BranchKind;
  switch (sites.edge[site]) {
    case TraceEdge.Begin:
      return Step.Start;
    case TraceEdge.BeginAndEnd: // occurs where a trace is broken: nothing certain is left of it
      return Step.Gap;
    case TraceEdge.End:
      return isKernelExit(sites, site) ? Step.KernelExit : endStepOf(kind);
    default:
      return branchStepOf(kind, sites, functions, site);
  }
}

function isKernelExit({ kind, from }: BranchSites, site: SiteId): boolean {
  return from[site] < 0 && (kind[site] === BranchKind.Sysret || kind[site] === BranchKind.Iret);
}

function endStepOf(kind: BranchKind): Step {
  if (kind === BranchKind.Syscall) return Step.EndSyscall;
  if (kind === BranchKind.Call) return Step.EndCall;
  return kind === BranchKind.Return ? Step.EndReturn : Step.End;
}

const RECORD_STEPS: Readonly<Partial<Record<BranchKind, Step>>> = {
  [BranchKind.Gap]: Step.Gap,
  [BranchKind.SwitchOut]: Step.SwitchOut,
  [BranchKind.PreemptOut]: Step.PreemptOut,
  [BranchKind.SwitchIn]: Step.SwitchIn,
  [BranchKind.Exec]: Step.Exec,
  [BranchKind.VmEntry]: Step.End, // the guest is not traced
  [BranchKind.VmExit]: Step.Start,
  [BranchKind.Async]: Step.End,
};

function branchStepOf(kind: BranchKind, sites: BranchSites, functions: FunctionTable, site: SiteId): Step {
  switch (kind) {
    case BranchKind.Call:
      return isCallToNext(sites, functions, site) || isCallInThunk(functions, site) ? Step.Stay : Step.Call;
    case BranchKind.Return:
      return Step.Return;
    case BranchKind.Sysret:
    case BranchKind.Iret:
      if (!isKernelExit(sites, site)) return Step.Return;
      return sites.to[site] < 0 && staysInside(functions, site) ? Step.Stay : Step.KernelExit; // an IRET to itself serializes
    case BranchKind.Syscall:
    case BranchKind.Interrupt:
      return Step.KernelEntry;
    case BranchKind.Jump:
    case BranchKind.TxAbort:
    case BranchKind.None:
      return staysInside(functions, site) || endsInThunk(functions, site) ? Step.Stay : Step.Jump;
    default:
      return RECORD_STEPS[kind] ?? Step.Stay;
  }
}

function staysInside({ from, to }: FunctionTable, site: SiteId): boolean {
  return to[site] === NONE || from[site] === to[site];
}

// The kernel's functions end by a jump to a thunk, which returns for them.
function endsInThunk({ to, traits }: FunctionTable, site: SiteId): boolean {
  const thunk = Trait.ReturnThunk | Trait.Kernel;
  return to[site] !== NONE && (traits[to[site]] & thunk) === thunk;
}

// A thunk calls itself, or the other half of a return thunk, only to mislead the return predictor, and drops the
// address.
function isCallInThunk({ from, to, traits }: FunctionTable, site: SiteId): boolean {
  if (from[site] === NONE || to[site] === NONE) return false;
  if (traits[from[site]] & traits[to[site]] & Trait.ReturnThunk) return true;
  return from[site] === to[site] && (traits[from[site]] & Trait.Retpoline) !== 0;
}

// "call next; next: pop %rax" reads the program counter and never returns.
function isCallToNext({ from, to }: BranchSites, functions: FunctionTable, site: SiteId): boolean {
  const distance = to[site] - from[site];
  return staysInside(functions, site) && distance > 0 && distance <= MAX_CALL_BYTES;
}

/**
 * The functions that compilers inlined where events come from: frames between the function on the stack and what it calls there.
 *
 * An inlined function has no call and no return of its own, so its frames have no calls and no time: these belong to what is
 * called from its code.
 */
export interface InlinedCode {
  /** By site: where its chain begins in `symbols`; or NONE. */
  readonly chain: Int32Array;
  /** Chains of functions, outermost first; NONE ends each. */
  readonly symbols: Int32Array; // SymbolId | NONE
  /** By symbol: 1 if it stands for an inlined function. */
  readonly isInlined: Uint8Array;
}

/** Returns whether the event of a site comes from inlined code. */
export function isInlinedAt(inlined: InlinedCode | null, site: SiteId): boolean {
  return inlined !== null && inlined.chain[site] !== NONE;
}

/** Calls `onSymbol` with each inlined function at a site, outermost first. */
export function eachInlined({ chain, symbols }: InlinedCode, site: SiteId, onSymbol: (symbol: SymbolId) => void): void {
  const first = chain[site];
  if (first === NONE) return;
  for (let at = first; symbols[at] !== NONE; at++) onSymbol(symbols[at]);
}

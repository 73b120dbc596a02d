/**
 * Finds stubs of the dynamic linker that have no name: perf 6.1 cannot name the head of a procedure linkage table, nor
 * the slots that lld lays out. They are recognized by what they do: they jump on, and do nothing else.
 */
import { BranchKind, type BranchSites } from '../../model/trace/branch-sites.js';
import { type Address, type FunctionId, NONE, type SiteId } from '../../model/units.js';
import { Trait } from './traits.js';

/** The columns of a `FunctionTable` that are used here. */
interface Functions {
  readonly length: number;
  readonly traits: Uint16Array;
  readonly start: Float64Array;
  readonly from: Int32Array;
  readonly to: Int32Array;
}

/** Slots of `.plt` and its head have 16 bytes each; those of `.plt.got`, which perf shows as functions, have 8. */
const SLOT_BYTES = 16;
/** Maximum distance between used slots of one table: most programs call only some of them. */
const MAX_SLOT_DISTANCE = 4 * SLOT_BYTES;
const MIN_SLOTS = 4;

/** Returns where the head of a linkage table begins, if the jump at this address leads from it to a resolver. */
export function headOfTable(jump: Address): Address {
  return Math.floor(jump / SLOT_BYTES) * SLOT_BYTES;
}

/** True for the call that begins a retpoline of LLVM or lld: to its own end, one slot further on. */
export function isRetpolineCall({ kind, from, to }: BranchSites, site: SiteId): boolean {
  return kind[site] === BranchKind.Call && from[site] % SLOT_BYTES === 0 && to[site] - from[site] === SLOT_BYTES;
}

/** Sets the traits of nameless functions that are such stubs. */
export function markNamelessStubs(sites: BranchSites, functions: Functions): void {
  const { traits, from, to } = functions;
  const has = (trait: number) => (fn: FunctionId) => (traits[fn] & trait) !== 0;
  const mark = (fn: FunctionId, trait: number) => {
    traits[fn] = (traits[fn] | trait) & ~Trait.Unwinder;
  };
  const isNameless = has(Trait.Unknown);
  for (let site = 0; site < sites.length; site++)
    if (isRetpolineCall(sites, site) && from[site] === to[site] && isNameless(from[site]))
      mark(from[site], Trait.Stub | Trait.Retpoline);
  for (const fn of rowsOfSlots(sites, functions)) mark(fn, Trait.Stub);
  const heads = jumpersTo(sites, functions, has(Trait.Resolver));
  for (const fn of heads) mark(fn, Trait.Stub);
  const isHead = (fn: FunctionId) => heads.has(fn) || (isNameless(fn) && has(Trait.Retpoline)(fn));
  for (const fn of jumpersTo(sites, functions, isHead)) mark(fn, Trait.Stub);
}

/** Returns the nameless functions that jump to a matching function. */
function jumpersTo(
  { kind }: BranchSites,
  { traits, from, to }: Functions,
  isMeant: (fn: FunctionId) => boolean,
): Set<FunctionId> {
  const jumpers = new Set<FunctionId>();
  for (let site = 0; site < from.length; site++) {
    if (kind[site] !== BranchKind.Jump || from[site] === NONE || to[site] === NONE || from[site] === to[site]) continue;
    if (traits[from[site]] & Trait.Unknown && isMeant(to[site])) jumpers.add(from[site]);
  }
  return jumpers;
}

/** Returns rows of slots: adjacent nameless functions that only jump, from their first bytes. */
function rowsOfSlots(sites: BranchSites, functions: Functions): FunctionId[] {
  const byStart = namelessByStart(sites, functions);
  const rows: Address[][] = [[]];
  for (const start of [...byStart.keys()].sort((a, b) => a - b)) {
    const row = rows.at(-1) as Address[];
    const last = row.at(-1);
    if (byStart.get(start)?.doesMore || start % SLOT_BYTES !== 0) rows.push([]);
    else if (last === undefined || start - last <= MAX_SLOT_DISTANCE) row.push(start);
    else rows.push([start]);
  }
  return rows.filter(isDense).flatMap((row) => row.flatMap((start) => byStart.get(start)?.functions ?? []));
}

interface Start {
  readonly functions: FunctionId[];
  /** One of them does more than jump. */
  doesMore: boolean;
}

/**
 * Groups nameless functions by start. Where processes map different files at one address, several share it, in no
 * particular order.
 */
function namelessByStart(sites: BranchSites, { length, traits, start, from }: Functions): ReadonlyMap<Address, Start> {
  const doesMore = new Uint8Array(length);
  for (let site = 0; site < sites.length; site++)
    if (from[site] !== NONE && !isJumpOfSlot(sites, start[from[site]], site)) doesMore[from[site]] = 1;
  const starts = new Map<Address, Start>();
  for (let fn = 0; fn < length; fn++) {
    if (!(traits[fn] & Trait.Unknown && Number.isInteger(start[fn]))) continue;
    const found = starts.get(start[fn]) ?? { functions: [], doesMore: false };
    found.functions.push(fn);
    found.doesMore ||= doesMore[fn] === 1;
    starts.set(start[fn], found);
  }
  return starts;
}

/**
 * True if the slots are close together. Short functions that end in a tail call may be adjacent, too, but rarely so
 * close.
 */
function isDense(row: readonly Address[]): boolean {
  const span = (row.at(-1) ?? 0) - (row[0] ?? 0);
  return row.length >= MIN_SLOTS && span <= 2 * SLOT_BYTES * (row.length - 1);
}

// An interrupt may stop it anywhere.
function isJumpOfSlot({ kind, from }: BranchSites, start: Address, site: SiteId): boolean {
  return kind[site] === BranchKind.Async || (kind[site] === BranchKind.Jump && from[site] - start < SLOT_BYTES);
}

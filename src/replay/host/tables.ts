/**
 * Writes what is known of sites and functions into the kernel's memory, as rows.
 */
import { NONE, type SiteId } from '../../model/units.js';
import type { FunctionTable } from '../functions/function-table.js';
import { isInlinedAt } from '../functions/inlined-code.js';
import { type SiteFacts, Step } from '../functions/site-facts.js';
import { Trait } from '../functions/traits.js';
import {
  FUNCTION_BARE_NAME,
  FUNCTION_BYTES,
  FUNCTION_STUB_TARGET,
  FUNCTION_SYMBOL,
  FUNCTION_TRAITS,
  SITE_BYTES,
  SITE_FROM,
  SITE_FROM_FUNCTION,
  SITE_PAIR,
  SITE_STEP,
  SITE_TO,
  SITE_TO_FUNCTION,
  SITE_TO_SYMBOL,
} from '../wasm/layout.js';
import type { KernelMemory } from './kernel-memory.js';

export function writeSites(memory: KernelMemory, at: number, facts: SiteFacts): void {
  const { step, from, to, toFunction, functions } = facts;
  const bytes = memory.bytes(at, SITE_BYTES * step.length);
  const ints = memory.ints(at, (SITE_BYTES / 4) * step.length);
  const floats = memory.floats(at, (SITE_BYTES / 8) * step.length);
  for (let site = 0; site < step.length; site++) {
    const row = SITE_BYTES * site;
    floats[(row + SITE_FROM) >> 3] = from[site];
    floats[(row + SITE_TO) >> 3] = to[site];
    ints[(row + SITE_FROM_FUNCTION) >> 2] = simpleFrom(facts, site);
    ints[(row + SITE_TO_FUNCTION) >> 2] = toFunction[site];
    ints[(row + SITE_TO_SYMBOL) >> 2] = toFunction[site] === NONE ? NONE : functions.symbol[toFunction[site]];
    bytes[row + SITE_PAIR] = simplePair(facts, site);
    bytes[row + SITE_STEP] = step[site];
  }
}

/** Returns the function that an event comes from; NONE if the general rules have to decide what it does. */
function simpleFrom(facts: SiteFacts, site: SiteId): number {
  const { step, fromFunction, toFunction, functions } = facts;
  const [fn, target] = [fromFunction[site], toFunction[site]];
  if (fn === NONE || isInlinedAt(facts.inlined, site)) return NONE;
  const isStub = (functions.traits[fn] & Trait.Stub) !== 0; // what it does in other events is not known at first
  switch (step[site]) {
    case Step.Jump:
      return isSimpleJump(facts, site) ? fn : NONE;
    case Step.Call:
    case Step.KernelEntry:
    case Step.Return:
      return isStub || target === NONE ? NONE : fn;
    case Step.Stay:
    case Step.End:
    case Step.EndSyscall:
      return isStub ? NONE : fn;
    default:
      return NONE;
  }
}

/** True if a jump may lead to another function, instead of back to an open one; see `jumpTo` in stack/hidden-jumps.ts. */
function isSimpleJump({ fromFunction, toFunction, toEntry, functions: { traits } }: SiteFacts, site: SiteId): boolean {
  const [from, target] = [traits[fromFunction[site]], traits[toFunction[site]]];
  if (target & (Trait.ColdPart | Trait.ProgramStart) || from & target & Trait.Stub) return false;
  return toEntry[site] === 1 || (target & Trait.Unknown) !== 0;
}

/** Returns the step of an event; `Gap` if the general rules have to decide what it pairs with. */
function simplePair({ step, fromFunction, functions }: SiteFacts, site: SiteId): number {
  const fn = fromFunction[site];
  const mayLeaveStack = step[site] === Step.Return || step[site] === Step.Jump;
  return mayLeaveStack && fn !== NONE && functions.traits[fn] & Trait.StackSwitcher ? Step.Gap : step[site];
}

export function writeFunctions(memory: KernelMemory, at: number, functions: FunctionTable): void {
  const { length, symbol, traits, stubTarget, bareName } = functions;
  const ints = memory.ints(at, (FUNCTION_BYTES / 4) * length);
  for (let fn = 0; fn < length; fn++) {
    const row = FUNCTION_BYTES * fn;
    ints[(row + FUNCTION_SYMBOL) >> 2] = symbol[fn];
    ints[(row + FUNCTION_TRAITS) >> 2] = traits[fn];
    ints[(row + FUNCTION_STUB_TARGET) >> 2] = stubTarget[fn];
    ints[(row + FUNCTION_BARE_NAME) >> 2] = bareName[fn];
  }
}

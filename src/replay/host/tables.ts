/**
 * Writes what is known of sites and functions into the kernel's memory, as rows.
 */
import { NONE } from '../../model/units.js';
import type { FunctionTable } from '../functions/function-table.js';
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
} from '../kernel/layout.js';
import type { KernelMemory } from './kernel-memory.js';

export function writeSites(memory: KernelMemory, at: number, facts: SiteFacts): void {
  const { step, simplePair, from, to, simpleFrom, toFunction, functions } = facts;
  const bytes = memory.bytes(at, SITE_BYTES * step.length);
  const ints = memory.ints(at, (SITE_BYTES / 4) * step.length);
  const floats = memory.floats(at, (SITE_BYTES / 8) * step.length);
  for (let site = 0; site < step.length; site++) {
    const row = SITE_BYTES * site;
    floats[(row + SITE_FROM) >> 3] = from[site];
    floats[(row + SITE_TO) >> 3] = to[site];
    ints[(row + SITE_FROM_FUNCTION) >> 2] = isStop(step[site]) ? stopFrom(facts, site) : simpleFrom[site];
    ints[(row + SITE_TO_FUNCTION) >> 2] = toFunction[site];
    ints[(row + SITE_TO_SYMBOL) >> 2] = toFunction[site] === NONE ? NONE : functions.symbol[toFunction[site]];
    bytes[row + SITE_PAIR] = simplePair[site];
    bytes[row + SITE_STEP] = step[site];
  }
}

function isStop(step: number): boolean {
  return step === Step.End || step === Step.EndSyscall;
}

/** Returns the function that the trace stops in; NONE if the general rules have to decide. */
function stopFrom({ fromFunction, functions }: SiteFacts, site: number): number {
  const fn = fromFunction[site];
  return fn === NONE || functions.traits[fn] & Trait.Stub || functions.stubTarget[fn] !== NONE ? NONE : fn;
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

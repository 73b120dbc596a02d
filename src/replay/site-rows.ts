/**
 * What a skeleton needs to know of each site.
 */
import { type FunctionId, NONE } from '../model/units.js';
import { orNameless } from './functions/function-table.js';
import { type SiteFacts, Step } from './functions/site-facts.js';
import { Trait } from './functions/traits.js';

/** An event of such a site may affect calls far away from it: a thread that has one has no skeleton. */
export const UNUSUAL = 255;

/** Functions that leave several frames at once, change stacks, or pass control on by a return. */
const UNUSUAL_TRAITS =
  Trait.Unwinder |
  Trait.StackSwitcher |
  Trait.Retpoline |
  Trait.ReturnThunk |
  Trait.Resumer |
  Trait.Raiser |
  Trait.Panic;

/** A row of 32 bytes for each site, so that an event reads memory once. */
export interface SiteRows {
  readonly ints: Int32Array;
  readonly floats: Float64Array;
}

/** What a row contains, in integers and floating-point numbers: `Step` or UNUSUAL, functions, addresses. */
export const ROW_INTS = 8;
export const ROW_FLOATS = 4;
export const CLASS = 0;
export const SIMPLE_FROM = 1;
export const TO_FUNCTION = 2;
export const FROM = 2;
export const TO = 3;

export function siteRows(facts: SiteFacts): SiteRows {
  const { step, toFunction, functions, from, to } = facts;
  const ints = new Int32Array(ROW_INTS * step.length);
  const floats = new Float64Array(ints.buffer);
  for (let site = 0; site < step.length; site++) {
    ints[ROW_INTS * site + CLASS] = isUnusual(facts, step[site] as Step, site) ? UNUSUAL : step[site];
    ints[ROW_INTS * site + SIMPLE_FROM] = simpleFrom(facts, site);
    ints[ROW_INTS * site + TO_FUNCTION] = orNameless(functions, toFunction[site]);
    floats[ROW_FLOATS * site + FROM] = from[site];
    floats[ROW_FLOATS * site + TO] = to[site];
  }
  return { ints, floats };
}

/** Returns the function that an event comes from; NONE if that does not tell what it does, as in a stub. */
function simpleFrom(facts: SiteFacts, site: number): number {
  const { step, fromFunction, toFunction } = facts;
  const isSimple = step[site] === Step.Stay || (step[site] === Step.Call && toFunction[site] !== NONE);
  const isInStub = (traitsOf(facts, fromFunction[site]) & Trait.Stub) !== 0;
  return isSimple && !isInStub ? fromFunction[site] : NONE;
}

function isUnusual(facts: SiteFacts, step: Step, site: number): boolean {
  const { fromFunction, toFunction, abortsTransaction, leavesGuest } = facts;
  if (step === Step.EndReturn) return true;
  if (abortsTransaction[site] === 1 || leavesGuest[site] === 1) return true;
  const traits = traitsOf(facts, fromFunction[site]) | traitsOf(facts, toFunction[site]);
  return (traits & UNUSUAL_TRAITS) !== 0 || (step === Step.Jump && startsProgram(facts, toFunction[site]));
}

/** True if a program begins in the function: then nothing below it stays open. */
export function startsProgram(facts: SiteFacts, fn: FunctionId): boolean {
  return (traitsOf(facts, fn) & Trait.ProgramStart) !== 0;
}

function traitsOf({ functions }: SiteFacts, fn: FunctionId): number {
  return fn === NONE ? Trait.None : functions.traits[fn];
}

/**
 * The machine, as far as browsers tell.
 */
import type { Heap } from '../machine.js';

export type { Heap };

declare const navigator: { readonly hardwareConcurrency?: number; readonly deviceMemory?: number };

export function cpuCount(): number {
  return navigator.hardwareConcurrency ?? 1;
}

const GIB = 2 ** 30;
/** Browsers say 8 for more, and some say nothing. */
const USUAL_GIB = 8;

export function machineBytes(): number {
  return (navigator.deviceMemory ?? USUAL_GIB) * GIB;
}

export function residentBytes(): number | null {
  return null;
}

/** The limit is unknown. */
export function heap(): Heap {
  return { usedBytes: 0, maxBytes: Number.POSITIVE_INFINITY };
}

export function collectGarbage(): void {}

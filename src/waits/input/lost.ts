/**
 * Whether samples were lost in a span of time: what would have to be complete there is then unknown.
 */
import type { Nanoseconds } from '../../model/units.js';
import type { LostSpan } from './wait-input.js';

export function isLostWithin(lost: readonly LostSpan[], fromNs: Nanoseconds, toNs: Nanoseconds): boolean {
  return lost.some((span) => span.fromNs <= toNs && span.toNs >= fromNs);
}

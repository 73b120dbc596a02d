/**
 * Why a thread was off the CPU.
 */

/** `Unknown`: it may have run; switches are missing. */
export const OffState = { Blocked: 0, Preempted: 1, Unknown: 2 } as const;
export type OffState = (typeof OffState)[keyof typeof OffState];

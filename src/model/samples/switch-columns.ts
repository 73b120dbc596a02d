/**
 * The context switches of all threads of a trace, as the kernel recorded them.
 */
export const SwitchKind = { In: 0, Out: 1, Preempted: 2 } as const;
export type SwitchKind = (typeof SwitchKind)[keyof typeof SwitchKind];

/** By thread, then by time; those of equal time are by CPU, then outs before ins. */
export interface SwitchColumns {
  readonly length: number;
  readonly timeNs: Float64Array; // Nanoseconds
  readonly tid: Int32Array;
  readonly cpu: Int32Array; // NONE if unknown
  readonly kind: Uint8Array; // SwitchKind; preempted: out, but runnable
}

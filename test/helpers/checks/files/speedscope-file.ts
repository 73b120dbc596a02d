/**
 * Reads files for speedscope by the rules of their format: events nest, and times do not decrease.
 */
import type { FunctionTime } from '../function-times.js';

export interface SpeedscopeFile {
  readonly name: string;
  readonly exporter: string;
  readonly shared: { readonly frames: readonly SpeedscopeFrame[] };
  readonly profiles: readonly SpeedscopeProfile[];
}

interface SpeedscopeFrame {
  readonly name: string;
  readonly file?: string;
  readonly line?: number;
}

export interface SpeedscopeProfile {
  readonly name: string;
  readonly startValue: number;
  readonly endValue: number;
  readonly events: readonly { readonly type: 'O' | 'C'; readonly frame: number; readonly at: number }[];
}

/** Returns the times of the functions of a thread. @throws Error for a file that is not as it must be */
export function timesOfProfile({ shared }: SpeedscopeFile, profile: SpeedscopeProfile): FunctionTime[] {
  const times = new Map<number, { selfNs: number; totalNs: number }>();
  const open: number[] = [];
  let last = profile.startValue;
  for (const { type, frame, at } of profile.events) {
    if (at < last || at > profile.endValue) throw new Error(`${at} after ${last} of ${profile.endValue}`);
    for (const own of new Set(open)) {
      const time = times.get(own) as { selfNs: number; totalNs: number };
      time.totalNs += at - last;
      if (own === open.at(-1)) time.selfNs += at - last;
    }
    last = at;
    if (type === 'O') open.push(frame);
    else if (open.pop() !== frame) throw new Error(`${frame} ends before what is above it`);
    if (!times.has(frame)) times.set(frame, { selfNs: 0, totalNs: 0 });
  }
  if (open.length > 0) throw new Error(`${open.length} calls do not end`);
  return [...times].map(([row, time]) => {
    const { name, file = null } = shared.frames[row] as SpeedscopeFrame;
    return { name, file, ...time };
  });
}

/**
 * Sums up gaps by cause, and selects the gaps worth drawing. Both lists have a maximum length.
 */
import type { LossKind, TraceGap } from '../model/profile/profile.js';

const MAX_KINDS = 64;
const MAX_GAPS = 10_000;
/** No version of perf has larger error codes. */
const MAX_CODE = 99;

const PERF_MESSAGES: Readonly<Record<number, string>> = {
  1: 'Memory allocation failed',
  2: 'Internal error',
  3: 'Bad packet',
  4: 'No more data',
  5: 'Failed to get instruction',
  6: "Trace doesn't match instruction",
  7: 'Overflow packet',
  8: 'Lost trace data',
  9: 'Unknown error!',
  10: 'Never-ending loop',
  11: 'Broken emulated ptwrite',
};
/** Errors caused by the code that ran: it is missing, differs, or never ends. Lost packets have nothing to do with files. */
const CODES_ABOUT_FILES: readonly number[] = [5, 6, 10];

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };

/** Sums up gaps by cause. */
export class LossKinds {
  private readonly kinds = new Map<string, Mutable<LossKind>>();

  add(gap: TraceGap): void {
    this.addKind(kindOf(gap));
  }

  /** Adds what another sum has of one cause. */
  addKind(kind: LossKind): void {
    const key = `${kind.cause} ${kind.code} ${kind.file ?? ''}`;
    const sum = this.kinds.get(key);
    if (sum === undefined) this.kinds.set(key, { ...kind });
    else {
      sum.gaps += kind.gaps;
      sum.lostNs += kind.lostNs;
      if (kind.message < sum.message) sum.message = kind.message;
    }
  }

  build(): LossKind[] {
    const sorted = [...this.kinds.values()].sort(byLoss);
    const others = sorted.slice(MAX_KINDS);
    return others.length === 0 ? sorted : [...sorted.slice(0, MAX_KINDS), mergedKind(others)];
  }
}

function kindOf(gap: TraceGap): Mutable<LossKind> {
  const sums = { gaps: 1, lostNs: gap.lengthNs };
  const { cause } = gap;
  if (cause === 'unannounced')
    return { cause, code: null, message: 'tracing restarted without an error', file: null, ...sums };
  if (cause === 'undecoded') return { cause, code: null, message: 'No branch was decoded', file: gap.file, ...sums };
  const code = gap.code > MAX_CODE ? null : gap.code;
  const file = CODES_ABOUT_FILES.includes(gap.code) ? gap.file : null;
  return { cause, code, message: PERF_MESSAGES[gap.code] ?? gap.message, file, ...sums };
}

function mergedKind(kinds: readonly LossKind[]): LossKind {
  const message = kinds.length === 1 ? 'one more kind' : `${kinds.length} more kinds`;
  const all: Mutable<LossKind> = { cause: 'others', code: null, message, file: null, gaps: 0, lostNs: 0 };
  for (const { gaps, lostNs } of kinds) {
    all.gaps += gaps;
    all.lostNs += lostNs;
  }
  return all;
}

/** A total order: two kinds differ in at least one of these. */
function byLoss(a: LossKind, b: LossKind): number {
  const aCode = a.code ?? MAX_CODE + 1;
  const bCode = b.code ?? MAX_CODE + 1;
  return (
    b.lostNs - a.lostNs ||
    b.gaps - a.gaps ||
    aCode - bCode ||
    compareTexts(a.file ?? '', b.file ?? '') ||
    compareTexts(a.cause, b.cause)
  );
}

function compareTexts(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}

/** Keeps the longest gaps; among equal ones the earlier, then those of the lower tid. */
export class LongestGaps {
  private gaps: TraceGap[] = [];

  add(gap: TraceGap): void {
    this.gaps.push(gap);
    if (this.gaps.length >= 2 * MAX_GAPS) this.keepLongest();
  }

  /** Returns the gaps by thread, then time; of two that begin together the shorter first, as the longer continues it. */
  build(): TraceGap[] {
    this.keepLongest();
    return this.gaps.sort((a, b) => a.tid - b.tid || a.atNs - b.atNs || a.lengthNs - b.lengthNs);
  }

  private keepLongest(): void {
    if (this.gaps.length <= MAX_GAPS) return;
    this.gaps.sort((a, b) => b.lengthNs - a.lengthNs || a.atNs - b.atNs || a.tid - b.tid);
    this.gaps.length = MAX_GAPS;
  }
}

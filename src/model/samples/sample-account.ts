/**
 * What is missing of the samples of a trace.
 */
import type { Nanoseconds } from '../units.js';

/** Time in which samples were lost. */
export interface LostSpan {
  readonly fromNs: Nanoseconds;
  readonly toNs: Nanoseconds;
}

/** Samples of one event that ptflame does not use, such as cycles. */
export interface OtherSamples {
  /** Without modifiers; null: unknown, or one of too many. */
  readonly event: string | null;
  readonly samples: number;
}

export const MAX_OTHER_EVENTS = 20;
const MAX_NAME_LENGTH = 80;

/** Counts samples of other events. Keeps the smallest names, so that the result does not depend on their order. */
export class OtherSampleCounts {
  private readonly byEvent = new Map<string, number>();
  private nameless = 0;

  add(event: string | null, samples = 1): void {
    const name = event?.replace(/:[ukhGHpPSDWeIb]+$/, '').slice(0, MAX_NAME_LENGTH);
    if (name === undefined) this.nameless += samples;
    else this.byEvent.set(name, (this.byEvent.get(name) ?? 0) + samples);
    if (this.byEvent.size > MAX_OTHER_EVENTS) this.forgetLargestName();
  }

  addAll(others: readonly OtherSamples[]): void {
    for (const { event, samples } of others) this.add(event, samples);
  }

  /** By name; those without one last. */
  build(): OtherSamples[] {
    const named = [...this.byEvent].sort(([a], [b]) => (a < b ? -1 : 1));
    const rest = this.nameless > 0 ? [{ event: null, samples: this.nameless }] : [];
    return [...named.map(([event, samples]) => ({ event, samples })), ...rest];
  }

  private forgetLargestName(): void {
    const largest = [...this.byEvent.keys()].reduce((a, b) => (a > b ? a : b));
    this.nameless += this.byEvent.get(largest) ?? 0;
    this.byEvent.delete(largest);
  }
}

/** What is missing of the samples of the inputs, without side recordings. */
export interface SampleAccount {
  /** Of text; they count as ignored lines, because replay does not need them. */
  readonly lines: number;
  /** Their format is unknown, because perf was killed. */
  readonly unreadable: number;
  /** Too short or impossible; also in side recordings. */
  readonly damaged: number;
  /** Records and samples that the kernel could not write. */
  readonly lost: number;
  /** When they were lost; also in side recordings. */
  readonly lostSpans: readonly LostSpan[];
}

/** A side recording: wakings on the whole machine, or others that the user named. */
export interface SideAccount {
  /** The recording that it belongs to. */
  readonly input: string;
  readonly side: string;
  readonly isMissing: boolean;
  readonly samples: number;
  readonly unreadable: number;
  readonly lost: number;
}

/**
 * Finds out when the kernel could not write records: between the record before, in the buffer of the same CPU, and the
 * one that counts the lost ones.
 */
import type { PerfTime } from '../../model/trace/perf-time.js';
import { NONE } from '../../model/units.js';
import { timeOf } from '../file/times.js';
import type { FileRecord } from '../file/walk.js';
import type { Loss } from '../recording.js';
import type { Attributes } from './attributes.js';
import type { SampleId } from './sample-id.js';

export class LossCollector {
  readonly losses: Loss[] = [];
  private readonly lastOfCpu = new Map<number, PerfTime>();
  /** Offsets in samples; null: not the same in all of them. */
  private readonly inSamples: { readonly time: number; readonly cpu: number } | null;

  constructor({ all, first }: Pick<Attributes, 'all' | 'first'>) {
    const { time, cpu } = first.layout;
    const areAlike = all.every(({ layout }) => layout.time === time && layout.cpu === cpu);
    this.inSamples = areAlike && time > 0 && cpu > 0 ? { time, cpu } : null;
  }

  addSample({ view, at, end }: FileRecord): void {
    const { inSamples } = this;
    if (inSamples === null || at + Math.max(inSamples.time, inSamples.cpu) + 8 > end) return;
    this.addRecord({ cpu: view.getInt32(at + inSamples.cpu, true), time: timeOf(view, at + inSamples.time) });
  }

  addRecord({ cpu, time }: Pick<SampleId, 'cpu' | 'time'>): void {
    if (cpu !== NONE && time !== null) this.lastOfCpu.set(cpu, time);
  }

  addLoss({ cpu, time }: Pick<SampleId, 'cpu' | 'time'>): void {
    const isTimed = time !== null && (time.seconds > 0 || time.ns > 0); // perf notes some at the end, without a time
    this.losses.push({ after: (isTimed && this.lastOfCpu.get(cpu)) || null, before: isTimed ? time : null });
  }
}

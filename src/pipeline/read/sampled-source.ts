/**
 * A recording without Intel PT as a source: only samples, switches and names.
 */
import type { RecordingEnvironment } from '../../model/profile/profile.js';
import type { SideRecording } from '../../perfdata/open-recording.js';
import type { Recording } from '../../perfdata/recording.js';
import { addOwnRecords } from './own-records.js';
import { addRecordedSamples } from './recorded-samples.js';
import type { Source } from './source.js';
import type { TraceBuilder } from './trace-builder.js';

/** Answers questions about waits, but has no calls. */
export interface SampledRecording {
  readonly name: string;
  /** There is no text. */
  readonly sizeBytes?: null;
  readonly sampled: Recording;
  readonly sides: readonly SideRecording[];
  readonly recorded: RecordingEnvironment | null;
  /** Why it is incomplete; null: it is complete. */
  readonly broken: string | null;
}

export class SampledSource implements Source {
  readonly name: string;
  readonly recorded: RecordingEnvironment | null;
  readonly standsAlone = false;
  private readonly input: SampledRecording;

  constructor(input: SampledRecording) {
    this.name = input.name;
    this.recorded = input.recorded;
    this.input = input;
  }

  async read(into: TraceBuilder): Promise<void> {
    const { name, sampled, sides, broken } = this.input;
    if (broken !== null) into.addAccount({ broken: [{ input: name, reason: broken }] });
    if (sampled.bounds !== null) into.context.timeOf(sampled.bounds.start); // the first time is the origin of all
    addOwnRecords(name, sampled.sideband, into);
    addRecordedSamples(name, sampled, sides, into);
    into.withoutTrace.push(name);
  }
}

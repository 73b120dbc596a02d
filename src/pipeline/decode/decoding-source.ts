/**
 * A recording as a source, decoded here.
 */
import type { RecordingEnvironment } from '../../model/profile/profile.js';
import { addOwnRecords } from '../read/own-records.js';
import { addRecordedSamples } from '../read/recorded-samples.js';
import type { Source } from '../read/source.js';
import type { TraceBuilder } from '../read/trace-builder.js';
import { gapRecords, truncations } from './decode-errors.js';
import { decodePlan } from './decode-plan.js';
import { decodeRecording } from './decode-recording.js';
import { DecodedTrace } from './decoded-trace.js';
import { decodeContext, type EncodedRecording } from './encoded-recording.js';
import { whileUnchanged } from './unchanged-file.js';

export class DecodingSource implements Source {
  readonly name: string;
  readonly recorded: RecordingEnvironment | null;
  readonly standsAlone = false;
  private readonly encoded: EncodedRecording;

  constructor(encoded: EncodedRecording) {
    this.name = encoded.name;
    this.recorded = encoded.recorded;
    this.encoded = encoded;
  }

  async read(into: TraceBuilder): Promise<void> {
    const { encoded } = this;
    const { name, path, recording, binaries, broken, locate } = encoded;
    if (broken !== null) into.addAccount({ broken: [{ input: name, reason: broken }] });
    if (recording.bounds !== null) into.context.timeOf(recording.bounds.start); // the first time is the origin of all
    const originNs = BigInt(into.context.originSeconds ?? 0) * 1_000_000_000n;
    const plan = decodePlan(encoded);
    const { images } = plan.schedule;
    const trace = new DecodedTrace(name, into, images, locate);
    const context = decodeContext(encoded, plan, originNs);
    const file = { path, name, sizeBytes: recording.sizeBytes };
    await whileUnchanged(file, () => decodeRecording(context, into.readers, trace, encoded));
    trace.addGaps(gapRecords([...trace.errors, ...truncations(recording, originNs)], binaries));
    into.isDecodedHere = true;
    addOwnRecords(name, recording.sideband, into);
    addRecordedSamples(name, recording, encoded.sides ?? [], into);
  }
}

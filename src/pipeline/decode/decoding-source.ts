/**
 * A recording as a source, decoded here.
 */

import { statSync } from 'node:fs';
import { PtflameError, unreadableInput } from '../../model/errors.js';
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

interface ReadFile {
  readonly path: string;
  /** For messages. */
  readonly name: string;
  /** When it was read first. */
  readonly sizeBytes: number;
}

/**
 * Makes sure that a file stays the same while it is read more than once.
 *
 * @throws PtflameError INPUT_UNREADABLE if the file is gone, or is another one after the work
 */
async function whileUnchanged(file: ReadFile, work: () => Promise<void>): Promise<void> {
  const before = identity(file);
  await work();
  if (identity(file) !== before) throw changed(file.name);
}

function identity({ path, name, sizeBytes }: ReadFile): string {
  try {
    const { dev, ino, size, mtimeMs } = statSync(path);
    if (size !== sizeBytes) throw changed(name);
    return `${dev} ${ino} ${mtimeMs}`;
  } catch (error) {
    throw error instanceof PtflameError ? error : unreadableInput(name, error);
  }
}

function changed(name: string): PtflameError {
  return new PtflameError('INPUT_UNREADABLE', `${name} changed while it was read`, {
    hint: 'try again once it no longer changes',
  });
}

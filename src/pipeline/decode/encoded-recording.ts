/**
 * A recording whose trace is still encoded, and the context in which its parts are decoded.
 */
import type { Jumps } from '../../decode/part-decoder.js';
import type { RecordingEnvironment } from '../../model/profile/profile.js';
import type { SideRecording } from '../../perfdata/open-recording.js';
import type { Recording } from '../../perfdata/recording.js';
import type { DecodePlan } from './decode-plan.js';
import type { DecodingSizes } from './decode-recording.js';
import type { DecodeContext } from './decode-task.js';
import type { Locate, LocateOptions } from './locate.js';
import { compressesReturns, hasMtcPackets } from './supported.js';

export type { Jumps };

/** A recording whose trace is still encoded. */
export interface EncodedRecording extends DecodingSizes {
  readonly name: string;
  /** Of its trace. */
  readonly sizeBytes: number;
  /** The file. */
  readonly path: string;
  readonly recording: Recording;
  /** Recordings made next to it. Default: none. */
  readonly sides?: readonly SideRecording[];
  readonly jumps: Jumps;
  /** Where the binaries are, by recorded path (latin1). Missing ones cannot be decoded. */
  readonly binaries: ReadonlyMap<string, string>;
  /** Where the symbols of the binaries are. */
  readonly naming: LocateOptions;
  readonly locate: Locate;
  readonly recorded: RecordingEnvironment | null;
  /** Why it is incomplete; null: it is complete. */
  readonly broken: string | null;
  /** For tests: how many bytes of events a decoder finds before it stops, and of code and sites that it keeps. */
  readonly eventBytes?: number;
  readonly codeBytes?: number;
  /** Decodes without what only makes it faster. */
  readonly isPlain?: boolean;
}

const EVENT_BYTES = 4 * 1024 * 1024;
const CODE_BYTES = 24 * 1024 * 1024;

/** `originNs`: perf's clock at time 0 of the trace. */
export function decodeContext(encoded: EncodedRecording, plan: DecodePlan, originNs: bigint): DecodeContext {
  const { path, jumps, binaries, naming, recording, eventBytes = EVENT_BYTES, codeBytes = CODE_BYTES } = encoded;
  const { timing, schedule, cpus: traces } = plan;
  const { images } = schedule;
  const cpus = traces.map((trace) => ({ trace, slots: schedule.slotsOf(trace) }));
  const hasMtc = hasMtcPackets(recording);
  const { isPlain = false } = encoded;
  const settings = { timing, originNs, jumps, hasMtc, compressesReturns: compressesReturns(recording) };
  return { path, cpus, images, ...settings, binaries, naming, eventBytes, codeBytes, isPlain };
}

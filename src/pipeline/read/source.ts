/**
 * A source: what a trace is read from.
 */
import type { RecordingEnvironment } from '../../model/profile/profile.js';
import type { TraceBuilder } from './trace-builder.js';

export interface Source {
  /** For messages. */
  readonly name: string;
  /** The environment of the recording; null: the source does not contain it. */
  readonly recorded: RecordingEnvironment | null;
  /** It is a complete trace: no other source can be read with it. */
  readonly standsAlone: boolean;
  /** Reads everything, to the end or to where the source breaks off. */
  read(into: TraceBuilder): Promise<void>;
}

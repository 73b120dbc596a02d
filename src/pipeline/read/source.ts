/**
 * What a trace is read from: text, a recording that is decoded meanwhile, a trace file.
 */
import type { RecordingEnvironment } from '../../model/profile/profile.js';
import type { TraceBuilder } from './trace-builder.js';

export interface Source {
  /** For messages. */
  readonly name: string;
  /** Where the trace was recorded, as far as the source tells; null: it does not. */
  readonly recorded: RecordingEnvironment | null;
  /** It is a whole trace, and no other source can be read with it. */
  readonly standsAlone: boolean;
  /** Reads all of it, to its end or to where it breaks off. */
  read(into: TraceBuilder): Promise<void>;
}

/**
 * What was opened, or what it lacks.
 */
import type { OpenedInput } from '../../pipeline/open-text.js';
import type { AnalyzedInput } from '../../pipeline/read/read-trace.js';
import type { NeededBinaries } from '../messages.js';

export interface Opened {
  /** The first one. */
  readonly file: File;
  readonly inputs: readonly (AnalyzedInput & { readonly sizeBytes?: number | null })[];
  /** A profile, which is no trace; null: the inputs are one. */
  readonly profile: OpenedInput | null;
  readonly notes: readonly string[];
  /** It is decoded with binaries that are dropped. Default: it is not. */
  readonly takesBinaries?: boolean;
}

/** Not all files that ran are here. */
export class NeedsBinaries extends Error {
  constructor(readonly needs: NeededBinaries) {
    super('binaries are missing');
  }
}

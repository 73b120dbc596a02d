/**
 * All kinds of fuzzed input, by name.
 */

import { damagedKernels } from './damaged/damaged-kernel.js';
import { damagedRecordings } from './damaged/damaged-recordings.js';
import { faults } from './faults/faults.js';
import { packs } from './files/packs.js';
import { profiles } from './files/profiles.js';
import { recordings } from './files/recordings.js';
import { traceFiles } from './files/trace-files.js';
import type { AnyCase, Kind } from './kind.js';
import { packetStreams } from './pt/streams-kind.js';
import { texts } from './text/text.js';

/** A kind is made from a seed and a directory that it may write to. */
const KINDS = {
  text: texts,
  recordings,
  'damaged-recordings': damagedRecordings,
  'trace-files': traceFiles,
  packs,
  profiles,
  packets: packetStreams,
  faults,
} as const;

/** The kind that works on recordings which are not part of the project. */
export const NEEDS_RECORDINGS = 'damaged-kernels';

export type KindName = keyof typeof KINDS | typeof NEEDS_RECORDINGS;
export const KIND_NAMES = [...Object.keys(KINDS), NEEDS_RECORDINGS] as readonly KindName[];

/** `folder`: of recordings, for the kind that needs them. */
export function kindOf(name: KindName, seed: number, directory: string, folder: string | null = null): Kind<AnyCase> {
  const kind = name === NEEDS_RECORDINGS ? damagedKernels(seed, directory, folder ?? '') : KINDS[name](seed, directory);
  return kind as unknown as Kind<AnyCase>; // each checks what it has made
}

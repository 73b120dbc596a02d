/**
 * All kinds of fuzzed input, by name.
 */

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

export type KindName = keyof typeof KINDS;
export const KIND_NAMES = Object.keys(KINDS) as readonly KindName[];

export function kindOf(name: KindName, seed: number, directory: string): Kind<AnyCase> {
  return KINDS[name](seed, directory) as unknown as Kind<AnyCase>; // each checks what it has made
}

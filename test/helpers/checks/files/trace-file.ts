/**
 * Writes traces as trace files and reads them back.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type AnalyzedInput,
  type AnalyzeOptions,
  analyze,
  type ImportOptions,
  importTrace,
  openStoredTrace,
  type Profile,
  PtflameError,
} from '../../../../src/index.js';
import { ownDirectory } from '../../own-directory.js';

/** Without workers: the small traces of tests need none. */
export const ALONE = { jobs: 1 };

/** Returns the bytes of the trace file. */
export async function imported(inputs: readonly AnalyzedInput[], options: ImportOptions = ALONE): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  const write = async (bytes: AsyncIterable<Uint8Array>) => {
    for await (const piece of bytes) pieces.push(new Uint8Array(piece));
  };
  await importTrace(inputs, write, options);
  return Buffer.concat(pieces);
}

/** Returns a trace file as an input. */
export function stored(file: Uint8Array, { salvage = false } = {}) {
  const path = join(ownDirectory(), 'trace.ptf');
  writeFileSync(path, file);
  return openStoredTrace(path, { salvage });
}

export async function analyzeFile(
  file: Uint8Array,
  { salvage = false, ...options }: AnalyzeOptions & { readonly salvage?: boolean } = {},
): Promise<Profile> {
  return analyze([stored(file, { salvage })], { ...ALONE, ...options });
}

/** Returns the error that refuses a file, or null if it is read; rethrows any other. */
export async function refusalOfFile(
  file: Uint8Array,
  options: { salvage?: boolean } = {},
): Promise<PtflameError | null> {
  try {
    await analyzeFile(file, { byCalls: true, ...options });
    return null;
  } catch (error) {
    if (error instanceof PtflameError) return error;
    throw error;
  }
}

/**
 * Fixtures by name, analysed as a user would.
 */
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import {
  type AnalyzeOptions,
  analyze,
  type FoldedOptions,
  type Profile,
  renderFolded,
  type TraceInput,
} from '../../src/index.js';

/** The bytes of a file below fixtures/, decompressed. */
export function fixture(name: string): Buffer {
  const bytes = readFileSync(new URL(`../../fixtures/${name}`, import.meta.url));
  return name.endsWith('.gz') ? gunzipSync(bytes) : bytes;
}

/** Bytes as an input, handed over in pieces of a size. */
export function inputOf(bytes: Uint8Array | string, name = 'test', pieceBytes = 1 << 16): TraceInput {
  const all = Buffer.from(bytes);
  async function* pieces() {
    for (let at = 0; at < all.length; at += pieceBytes) yield all.subarray(at, at + pieceBytes);
  }
  return { name, bytes: pieces() };
}

export async function analyzeText(text: Uint8Array | string, options: AnalyzeOptions = {}): Promise<Profile> {
  return analyze([inputOf(text)], options);
}

export function fold(profile: Profile, options: FoldedOptions = {}): string {
  return [...renderFolded(profile, options)].join('');
}

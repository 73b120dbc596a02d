/**
 * Loads fixtures and analyzes them through the public library.
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
} from '../../../src/index.js';

/** Returns the bytes of a file in fixtures/, decompressed. */
export function fixture(name: string): Buffer {
  const bytes = readFileSync(new URL(`../../../fixtures/${name}`, import.meta.url));
  return name.endsWith('.gz') ? gunzipSync(bytes) : bytes;
}

/** More lines of a fixture show nothing new. */
const MAX_LINES = 2000;

/** Returns the first lines of a fixture, for slow checks. */
export function beginningOf(name: string, lines = MAX_LINES): Buffer {
  const bytes = fixture(name);
  let end = 0;
  for (let line = 0; line < lines && end < bytes.length; line++) end = bytes.indexOf(10, end) + 1 || bytes.length;
  return bytes.subarray(0, end);
}

/** Returns bytes as an input that yields chunks of a size. */
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

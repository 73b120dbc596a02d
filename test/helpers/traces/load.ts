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
} from '../../../src/index.js';

/** The bytes of a file below fixtures/, decompressed. */
export function fixture(name: string): Buffer {
  const bytes = readFileSync(new URL(`../../../fixtures/${name}`, import.meta.url));
  return name.endsWith('.gz') ? gunzipSync(bytes) : bytes;
}

/** What ever more lines of a fixture do not show to be different. */
const MANY_LINES = 2000;

/** The first lines of a fixture: for what has to hold for each of them, and is slow to look at. */
export function beginningOf(name: string): Buffer {
  const bytes = fixture(name);
  let end = 0;
  for (let line = 0; line < MANY_LINES && end < bytes.length; line++) end = bytes.indexOf(10, end) + 1 || bytes.length;
  return bytes.subarray(0, end);
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

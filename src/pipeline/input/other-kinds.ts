/**
 * Recognizes files that are not text by their first bytes, never by their name.
 */
import { PtflameError } from '../../model/errors.js';
import { MAGIC } from '../../trace/file/format.js';

export const MAX_MAGIC_BYTES = 8;

/** A kind of file that is not text, and what to do with it. */
export interface OtherKind {
  readonly kind: string;
  readonly magic: readonly number[];
  readonly unpack?: string;
  /** Can be read as a file of this name, but not as a stream or compressed. */
  readonly asFile?: string;
}

export const GZIP = 'compressed with gzip';
const RECORDING = { kind: 'a recording (perf.data)', asFile: 'perf.data' };
const IMPORTED = { kind: 'an imported trace', asFile: 'trace.ptf' };
const OTHER_KINDS: readonly OtherKind[] = [
  { kind: GZIP, magic: [0x1f, 0x8b] },
  { ...IMPORTED, magic: [...MAGIC] },
  { ...RECORDING, magic: [0x50, 0x45, 0x52, 0x46, 0x49, 0x4c, 0x45, 0x32] }, // PERFILE2
  { ...RECORDING, magic: [0x32, 0x45, 0x4c, 0x49, 0x46, 0x52, 0x45, 0x50] }, // the same from a big-endian machine
  { kind: 'compressed with zstd', magic: [0x28, 0xb5, 0x2f, 0xfd], unpack: 'zstd -dc FILE | ptflame render -' },
  { kind: 'compressed with xz', magic: [0xfd, 0x37, 0x7a, 0x58, 0x5a], unpack: 'xz -dc FILE | ptflame render -' },
  { kind: 'compressed with bzip2', magic: [0x42, 0x5a, 0x68], unpack: 'bzip2 -dc FILE | ptflame render -' },
  { kind: 'a zip archive', magic: [0x50, 0x4b, 0x03, 0x04], unpack: 'unzip -p FILE | ptflame render -' },
];

/** Returns null if it may be text. */
export function kindOf(first: Uint8Array): OtherKind | null {
  return OTHER_KINDS.find(({ magic }) => magic.every((byte, at) => first[at] === byte)) ?? null;
}

export function wrongKind(name: string, { kind, unpack, asFile }: OtherKind): PtflameError {
  if (asFile === undefined)
    return new PtflameError('INPUT_KIND', `${name} is ${kind}, not text`, { hint: `decompress it: ${unpack}` });
  return new PtflameError('INPUT_KIND', `${name} is ${kind}, which cannot be read compressed or from a stream`, {
    hint: `pass the uncompressed file: ptflame render ${asFile}`,
  });
}

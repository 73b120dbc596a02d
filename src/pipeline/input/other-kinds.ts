/**
 * Files that are no text: what they are is told by their first bytes, never by their name.
 */
import { PtflameError } from '../../model/errors.js';
import { MAGIC } from '../../trace-file/format.js';

export const LONGEST_MAGIC_BYTES = 8;

/** What is no text, told by its first bytes, and what to do with it. */
export interface OtherKind {
  readonly kind: string;
  readonly magic: readonly number[];
  readonly unpack?: string;
  /** Where it is a file of its own it is an input. */
  readonly asFile?: string;
}

export const GZIP = 'compressed by gzip';
const RECORDING = { kind: 'a recording (perf.data), which perf decodes', asFile: 'perf.data' };
const IMPORTED = { kind: 'an imported trace, which is read', asFile: 'trace.ptf' };
const OTHER_KINDS: readonly OtherKind[] = [
  { kind: GZIP, magic: [0x1f, 0x8b] },
  { ...IMPORTED, magic: [...MAGIC] },
  { ...RECORDING, magic: [0x50, 0x45, 0x52, 0x46, 0x49, 0x4c, 0x45, 0x32] }, // PERFILE2
  { ...RECORDING, magic: [0x32, 0x45, 0x4c, 0x49, 0x46, 0x52, 0x45, 0x50] }, // the same of a big-endian machine
  { kind: 'compressed by zstd', magic: [0x28, 0xb5, 0x2f, 0xfd], unpack: 'zstd -dc FILE | ptflame render -' },
  { kind: 'compressed by xz', magic: [0xfd, 0x37, 0x7a, 0x58, 0x5a], unpack: 'xz -dc FILE | ptflame render -' },
  { kind: 'compressed by bzip2', magic: [0x42, 0x5a, 0x68], unpack: 'bzip2 -dc FILE | ptflame render -' },
  { kind: 'a zip archive', magic: [0x50, 0x4b, 0x03, 0x04], unpack: 'unzip -p FILE | ptflame render -' },
];

/** null: it may be text. */
export function kindOf(first: Uint8Array): OtherKind | null {
  return OTHER_KINDS.find(({ magic }) => magic.every((byte, at) => first[at] === byte)) ?? null;
}

export function wrongKind(name: string, { kind, unpack, asFile }: OtherKind): PtflameError {
  if (asFile === undefined)
    return new PtflameError('INPUT_KIND', `${name} is ${kind}, not text`, { hint: `unpack it first: ${unpack}` });
  return new PtflameError('INPUT_KIND', `${name} is ${kind} only where it is a file of its own`, {
    hint: `name that file, not compressed: ptflame render ${asFile}`,
  });
}

/**
 * Turns a fault of a profile into an error for the user. Files that do not begin like a profile are reported as another kind of file.
 */
import { FileFault, type FileKind, refusal } from '../codec/file-fault.js';
import type { PtflameError } from '../model/errors.js';
import { FORMAT } from './format.js';

const PROFILE: FileKind = {
  kind: 'profile',
  damaged: 'PROFILE_DAMAGED',
  recreate: 'create it again from the trace: ptflame render TRACE -o FILE.json',
};

/** `bytes`: the contents of the file. */
export function profileRefusal(fault: FileFault, name: string, bytes: Uint8Array): PtflameError {
  const isOther = fault.code === 'other-kind' || !isOurs(bytes);
  return refusal(isOther ? new FileFault('other-kind', kindOf(bytes)) : fault, name, PROFILE);
}

const HEAD_BYTES = 64 * 1024;

function isOurs(bytes: Uint8Array): boolean {
  return headOf(bytes).includes(`"${FORMAT}"`);
}

function headOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.subarray(0, HEAD_BYTES)).toString('latin1');
}

const OTHER_KINDS = [
  { kind: 'a speedscope profile', sign: /"\$schema"\s*:\s*"https:\/\/www\.speedscope\.app/ },
  { kind: 'a Chrome trace', sign: /"traceEvents"\s*:/ },
  { kind: 'a profile of the Firefox profiler', sign: /"preprocessedProfileVersion"\s*:/ },
  { kind: 'the JSON of perf data convert', sign: /"linux-perf-json-version"\s*:/ },
  { kind: 'a V8 CPU profile', sign: /"nodes"\s*:\s*\[\s*\{\s*"id"\s*:/ },
  { kind: 'JSON of some other program', sign: /^\s*[[{]/ },
] as const;

function kindOf(bytes: Uint8Array): string {
  const head = headOf(bytes);
  return OTHER_KINDS.find(({ sign }) => sign.test(head))?.kind ?? 'text of another kind';
}

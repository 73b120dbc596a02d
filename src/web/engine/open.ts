/**
 * Opens the files that were dropped together as inputs of one trace, or as a profile.
 */

import { mount } from '../../host/browser/files.js';
import { PtflameError } from '../../model/errors.js';
import { detectInputKind, openTraceFile } from '../../pipeline/open-text.js';
import { KIND_BYTES, otherKindOf } from '../../pipeline/other-kinds.js';
import { openStoredTrace } from '../../pipeline/stored-trace.js';
import type { EngineProgress } from '../messages.js';
import { sortDropped } from './dropped.js';
import { openDroppedRecording, openPack } from './open-recording.js';
import type { Opened } from './opened.js';

/** Enough to recognize a pack. */
const FIRST_BYTES = 4096;

/**
 * Returns what can be shown: one trace or profile, or two that are compared.
 *
 * @throws NeedsBinaries; PtflameError as inputs of the command line
 */
export async function openDropped(
  files: readonly File[],
  withoutBinaries: boolean,
  tell: (progress: EngineProgress) => void,
): Promise<Opened[]> {
  const firsts = await Promise.all(files.map((file) => file.slice(0, FIRST_BYTES).arrayBuffer()));
  const { inputs, beside, binaries } = sortDropped(
    files.map((file, at) => [file, new Uint8Array(firsts[at] as ArrayBuffer)] as const),
  );
  const paths = byPath(inputs.map(({ content }) => content));
  for (const [path, content] of paths) mount(path, content);
  const named = [...paths.keys()];
  if (inputs[0]?.kind === 'text') return openTexts(named);
  const besideOf = (name: string) =>
    inputs.length === 1 ? beside : beside.filter((file) => file.name.startsWith(name));
  const opened: Opened[] = [];
  for (const [at, { kind, content }] of inputs.entries()) {
    const path = named[at] as string;
    const trace =
      kind === 'stored'
        ? { inputs: [openStoredTrace(path)], notes: [] }
        : kind === 'pack'
          ? await openPack(path, content, tell)
          : await openDroppedRecording(path, besideOf(content.name), binaries, withoutBinaries);
    opened.push({ name: path, profile: null, ...trace });
  }
  return opened;
}

async function openTexts(names: readonly string[]): Promise<Opened[]> {
  for (const name of names) await refuseOtherKind(name);
  const [name = ''] = names;
  const texts = await Promise.all(names.map((path) => openTraceFile(path)));
  if (texts.length > MOST_PROFILES) return [{ name, inputs: texts, profile: null, notes: [] }];
  const known = await Promise.all(texts.map(detectInputKind));
  if (!known.every(({ kind }) => kind === 'profile')) return [{ name, inputs: known, profile: null, notes: [] }];
  return known.map((profile) => ({ name: profile.name, inputs: [], profile, notes: [] }));
}

/** One is shown, two are compared. */
const MOST_PROFILES = 2;

/** Files of several folders may have the same name. */
function byPath(files: readonly File[]): Map<string, File> {
  const paths = new Map<string, File>();
  for (const file of files) {
    let path = file.name;
    for (let other = 2; paths.has(path); other++) path = `${file.name} (${other})`;
    paths.set(path, file);
  }
  return paths;
}

/** @throws PtflameError INPUT_KIND for what is no trace and no profile */
async function refuseOtherKind(name: string): Promise<void> {
  const { bytes, file } = await openTraceFile(name);
  const head = new Uint8Array(KIND_BYTES);
  let length = 0;
  try {
    for await (const piece of bytes) {
      const part = piece.subarray(0, KIND_BYTES - length);
      head.set(part, length);
      length += part.length;
      if (length === KIND_BYTES) break;
    }
  } catch {
    return; // reading it as a trace says why
  }
  const other = otherKindOf(head.subarray(0, length), name, file === null);
  if (other !== null) throw new PtflameError('INPUT_KIND', `${name} is ${other.what}`, { hint: other.hint });
}

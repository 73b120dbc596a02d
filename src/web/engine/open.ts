/**
 * Opens the files that were dropped together as inputs of one trace, or as a profile.
 */

import { mount } from '../../host/browser/files.js';
import { PtflameError } from '../../model/errors.js';
import { detectInputKind, openTraceFile } from '../../pipeline/open-text.js';
import { KIND_BYTES, otherKindOf } from '../../pipeline/other-kinds.js';
import { openStoredTrace } from '../../pipeline/stored-trace.js';
import type { EngineProgress, OpenOptions } from '../messages.js';
import { type Input, sortDropped } from './dropped.js';
import { openDroppedRecording, openPack } from './open-recording.js';
import type { Opened } from './opened.js';

/** Enough to recognize a pack. */
const FIRST_BYTES = 4096;

/** @throws NeedsBinaries; PtflameError as inputs of the command line */
export async function openDropped(
  files: readonly File[],
  options: OpenOptions,
  tell: (progress: EngineProgress) => void,
): Promise<Opened> {
  const firsts = await Promise.all(files.map((file) => file.slice(0, FIRST_BYTES).arrayBuffer()));
  const { inputs, beside, binaries } = sortDropped(
    files.map((file, at) => [file, new Uint8Array(firsts[at] as ArrayBuffer)] as const),
  );
  const [first] = inputs as [Input];
  const { name: fileName } = first.content;
  const paths = byPath(inputs.map(({ content }) => content));
  for (const [path, content] of paths) mount(path, content);
  const name = fileName.replace(/(?:\.(?:gz|txt|data|pack|ptf|json))+$/i, '') || fileName;
  switch (first.kind) {
    case 'stored':
      return { name, inputs: [openStoredTrace(fileName)], profile: null, notes: [] };
    case 'recording':
      return { name, profile: null, ...(await openDroppedRecording(first.content, beside, binaries, options)) };
    case 'pack':
      return { name, profile: null, ...(await openPack(first.content, tell)) };
    case 'text':
      return { name, ...(await openTexts([...paths.keys()])) };
  }
}

async function openTexts(names: readonly string[]): Promise<Omit<Opened, 'name'>> {
  for (const name of names) await refuseOtherKind(name);
  const texts = await Promise.all(names.map((name) => openTraceFile(name)));
  const [only, ...others] = texts;
  if (only === undefined || others.length > 0) return { inputs: texts, profile: null, notes: [] };
  const { kind, ...input } = await detectInputKind(only);
  return kind === 'profile' ? { inputs: [], profile: input, notes: [] } : { inputs: [input], profile: null, notes: [] };
}

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

/**
 * Opens what was dropped: files that were dropped together as inputs of one trace, or as a profile.
 */

import { mount } from '../../host/browser/files.js';
import { PtflameError } from '../../model/errors.js';
import { detectInputKind, openTraceFile } from '../../pipeline/open-text.js';
import { KIND_BYTES, otherKindOf } from '../../pipeline/other-kinds.js';
import { openStoredTrace } from '../../pipeline/stored-trace.js';
import type { Dropped, EngineProgress } from '../messages.js';
import { type DroppedFiles, type Input, refuseStrangers, sortDropped } from './dropped.js';
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
  { drops, added }: Dropped,
  withoutBinaries: boolean,
  tell: (progress: EngineProgress) => void,
): Promise<Opened[]> {
  const sorted = await Promise.all(drops.map(sortFiles));
  sorted.forEach(refuseStrangers);
  const later = await sortFiles(added);
  const paths = mountInputs(sorted.flatMap(({ inputs }) => inputs));
  const opened: Opened[] = [];
  for (const own of sorted) {
    const others = sorted.filter((other) => other !== own);
    const binaries = [...others, own, later].flatMap(({ binaries }) => binaries); // the last of a name is taken
    const found = await openSorted({ ...own, binaries }, later.beside, paths, withoutBinaries, tell);
    if (others.length > 0 && found.length > 1) throw severalInOne(own);
    opened.push(...found);
  }
  return opened;
}

function severalInOne({ inputs }: DroppedFiles): PtflameError {
  const names = inputs.map(({ content }) => content.name).join(' and ');
  return new PtflameError('INPUT_KIND', `${names} are several recordings, and the page compares two at most`, {
    hint: 'drop one of them',
  });
}

/** Returns the trace or profile that files which were dropped together are, or its first part; null: they are none, or several. */
export async function soleInput(files: readonly File[]): Promise<File | null> {
  try {
    const { inputs } = await sortFiles(files);
    const [first] = inputs;
    const count = first?.kind === 'text' ? (await openTexts(inputs, mountInputs(inputs))).length : inputs.length;
    return first !== undefined && count === 1 ? first.content : null;
  } catch {
    return null; // opening them says why
  }
}

async function sortFiles(files: readonly File[]): Promise<DroppedFiles> {
  const firsts = await Promise.all(files.map((file) => file.slice(0, FIRST_BYTES).arrayBuffer()));
  return sortDropped(files.map((file, at) => [file, new Uint8Array(firsts[at] as ArrayBuffer)] as const));
}

type Paths = ReadonlyMap<Input, string>;

/** Gives each input a path of its own: files of several folders may have the same name. */
function mountInputs(inputs: readonly Input[]): Paths {
  const taken = new Set<string>();
  return new Map(
    inputs.map((input) => {
      const { name } = input.content;
      let path = name;
      for (let other = 2; taken.has(path); other++) path = `${name} (${other})`;
      taken.add(path);
      mount(path, input.content);
      return [input, path];
    }),
  );
}

/** `later`: what was recorded beside it, and came later. */
async function openSorted(
  { inputs, beside, binaries }: DroppedFiles,
  later: readonly File[],
  paths: Paths,
  withoutBinaries: boolean,
  tell: (progress: EngineProgress) => void,
): Promise<Opened[]> {
  if (inputs[0]?.kind === 'text') return openTexts(inputs, paths);
  const named = (files: readonly File[], name: string) => files.filter((file) => file.name.startsWith(name));
  const besideOf = (name: string) => [...(inputs.length === 1 ? beside : named(beside, name)), ...named(later, name)];
  const opened: Opened[] = [];
  for (const input of inputs) {
    const { kind, content: file } = input;
    const path = paths.get(input) as string;
    const trace =
      kind === 'stored'
        ? { inputs: [openStoredTrace(path)], notes: [] }
        : kind === 'pack'
          ? await openPack(path, file, tell)
          : await openDroppedRecording(path, besideOf(file.name), binaries, withoutBinaries);
    opened.push({ file, profile: null, ...trace });
  }
  return opened;
}

async function openTexts(inputs: readonly Input[], paths: Paths): Promise<Opened[]> {
  const named = inputs.map((input) => paths.get(input) as string);
  for (const path of named) await refuseOtherKind(path);
  const [file] = inputs.map(({ content }) => content) as [File];
  const texts = await Promise.all(named.map((path) => openTraceFile(path)));
  if (texts.length > MOST_PROFILES) return [{ file, inputs: texts, profile: null, notes: [] }];
  const known = await Promise.all(texts.map(detectInputKind));
  if (!known.every(({ kind }) => kind === 'profile')) return [{ file, inputs: known, profile: null, notes: [] }];
  return known.map((profile, at) => ({ file: (inputs[at] as Input).content, inputs: [], profile, notes: [] }));
}

/** One is shown, two are compared. */
const MOST_PROFILES = 2;

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

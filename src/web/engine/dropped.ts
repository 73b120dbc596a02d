/**
 * Sorts the files that were dropped together by what they are: their first bytes decide, and names only for what was
 * recorded next to a recording.
 */
import { PtflameError } from '../../model/errors.js';
import { type InputFileKind, kindOfInput } from '../../pipeline/other-kinds.js';

export interface DroppedFiles<Content = File> {
  /** One or two recordings, packs or imported traces; or texts, which make up one trace. */
  readonly inputs: readonly Input<Content>[];
  /** Recordings of wakings, and notes of events and of how it was recorded, by the end of their name. */
  readonly beside: readonly Content[];
  /** Programs, libraries, files with their debug information, and code that a JIT compiler made. */
  readonly binaries: readonly Content[];
}

export interface Input<Content = File> {
  readonly kind: InputFileKind;
  readonly content: Content;
}

/** The ends of the names of what is recorded next to a recording. */
export const BESIDE = ['.wakes.data', '.formats', '.ptflame.json'];
const BINARIES = ['\x7fELF', 'JiTD', 'DTiJ'];

/** What is known of a file. */
interface Named {
  readonly name: string;
}

/** `first`: some hundred bytes of each file. */
export function sortDropped<Content extends Named>(
  files: readonly (readonly [content: Content, first: Uint8Array])[],
): DroppedFiles<Content> {
  const inputs: Input<Content>[] = [];
  const beside: Content[] = [];
  const binaries: Content[] = [];
  for (const [content, first] of files) {
    const text = String.fromCharCode(...first.subarray(0, 4));
    if (BESIDE.some((ending) => content.name.endsWith(ending))) beside.push(content);
    else if (BINARIES.some((magic) => text.startsWith(magic))) binaries.push(content);
    else inputs.push({ kind: kindOfInput(first), content });
  }
  // a folder with a recording or with its binaries has other files, too
  const main = inputs.filter(({ kind }) => kind !== 'text');
  return { inputs: main.length > 0 ? main : inputs, beside, binaries };
}

/** How many can be compared. */
const MOST = 2;

/** @throws PtflameError INPUT_KIND if they do not belong together */
export function refuseStrangers({ inputs, binaries }: DroppedFiles<Named>): void {
  if (inputs.length > MOST && inputs[0]?.kind !== 'text')
    throw new PtflameError('INPUT_KIND', `these are ${inputs.length} recordings, and the page compares two at most`, {
      hint: 'drop one of them, or two',
    });
  if (inputs.length > 0) return;
  const what =
    binaries.length > 0 ? 'a program or library, not a recording of one' : 'what belongs to a recording, without it';
  throw new PtflameError('INPUT_KIND', `this is ${what}`, { hint: 'drop the recording together with it' });
}
